import { isUtf8 } from 'node:buffer';

/** A part of a text: from `start` up to, not including, `end`. */
export type Span = { readonly start: number; readonly end: number };

/**
 * Where each member's value of the object at `span` stands, found by quotes and brackets alone: no member's value is checked or built, so one
 * that breaks a bound does not hide its siblings. `undefined` where the text is not even shaped like one object. Of a repeated key the last
 * counts. What is read from a span must still be scanned.
 */
export function membersOf(bytes: Buffer, span: Span = whole(bytes)): ReadonlyMap<string, Span> | undefined {
  const members = new Map<string, Span>();
  const complete = eachItem(bytes, span, 0x7b, 0x7d, (item) => {
    const keyStart = skipSpace(bytes, item.start, item.end);
    if (bytes[keyStart] !== 0x22) return false;
    const keyEnd = skipString(bytes, keyStart, item.end);
    if (keyEnd < 0) return false;
    const colon = skipSpace(bytes, keyEnd, item.end);
    const key = parseKey(bytes, keyStart, keyEnd);
    if (bytes[colon] !== 0x3a || key === undefined) return false;
    members.set(key, trim(bytes, { start: colon + 1, end: item.end }));
    return true;
  });
  return complete ? members : undefined;
}

/** Where each element of the array at `span` stands; as `membersOf`. */
export function elementsOf(bytes: Buffer, span: Span = whole(bytes)): readonly Span[] | undefined {
  const elements: Span[] = [];
  const complete = eachItem(bytes, span, 0x5b, 0x5d, (item) => {
    elements.push(trim(bytes, item));
    return true;
  });
  return complete ? elements : undefined;
}

/** Hands over each comma-separated stretch between the brackets. False when the brackets don't match or `take` says so. */
function eachItem(bytes: Buffer, span: Span, open: number, close: number, take: (item: Span) => boolean): boolean {
  const { start, end } = trim(bytes, span);
  if (bytes[start] !== open || bytes[end - 1] !== close || end - start < 2) return false;
  let depth = 0;
  let itemStart = start + 1;
  let at = start + 1;
  while (at < end - 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      at = skipString(bytes, at, end - 1);
      if (at < 0) return false;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (--depth < 0) return false;
    } else if (byte === 0x2c && depth === 0) {
      if (!take({ start: itemStart, end: at })) return false;
      itemStart = at + 1;
    }
    at++;
  }
  if (depth !== 0) return false;
  const isEmpty = itemStart === start + 1 && skipSpace(bytes, itemStart, end - 1) === end - 1;
  return isEmpty || take({ start: itemStart, end: end - 1 });
}

/** The offset after the string that opens at `at`, or -1 when it does not close before `end`. */
function skipString(bytes: Buffer, at: number, end: number): number {
  let next = at + 1;
  while (next < end) {
    const byte = bytes[next];
    if (byte === 0x22) return next + 1;
    next += byte === 0x5c ? 2 : 1;
  }
  return -1;
}

function skipSpace(bytes: Buffer, at: number, end: number): number {
  let next = at;
  while (next < end && isSpace(bytes[next])) next++;
  return next;
}

function trim(bytes: Buffer, { start, end }: Span): Span {
  const first = skipSpace(bytes, start, end);
  let last = end;
  while (last > first && isSpace(bytes[last - 1])) last--;
  return { start: first, end: last };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function parseKey(bytes: Buffer, start: number, end: number): string | undefined {
  if (!isUtf8(bytes.subarray(start, end))) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string;
  } catch {
    return undefined;
  }
}

function whole(bytes: Buffer): Span {
  return { start: 0, end: bytes.length };
}
