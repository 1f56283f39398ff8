import type { ErrorCode } from '@countersign/contracts';
import { endOfNumber, endOfString, isUnsafe, keyAt, type Text } from './json-tokens.ts';
import { visible } from './visible.ts';

export type IngressCode = Extract<ErrorCode, `ingress.${string}`>;
export type WalkBounds = { readonly maxDepth: number; readonly maxNodes: number };
export type Fault = { readonly code: IngressCode; readonly reason: string; readonly pointer: string; readonly offset: number };
/** `members` counts the object members seen: an object that names a key twice has fewer once it is parsed. */
export type Walked = { readonly members: number; readonly fault: Fault | undefined };

/** What the grammar allows next; the last member says that the whole value was read. */
type Expect = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or close' | 'nothing';

type Walk = Text & {
  readonly bounds: WalkBounds;
  /** Per open container, innermost last: the offset of its current key, or of its brace before the first key; -1 - index for an array. */
  readonly path: number[];
  /** Keys of each open object, kept only where the first repeat is looked for. */
  readonly keys: Set<string>[] | undefined;
  expect: Expect;
  inObject: boolean;
  nodes: number;
  members: number;
  fault: Fault | undefined;
};

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const TRUE = [0x74, 0x72, 0x75, 0x65];
const FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65];
const NULL = [0x6e, 0x75, 0x6c, 0x6c];
/** Any shorter spelling without an exponent is a safe integer or a fraction. */
const SAFE_SPELLING = 15;

/**
 * Reads JSON text once, without building it and without recursion, and checks all that shows in bytes: grammar, depth, count of values,
 * numbers, escapes and forbidden keys. `bytes` is valid UTF-8. With `findRepeats` each object's keys are kept and the first repeat is the
 * fault; that is slower, so only a text known to hold one is read that way.
 */
export function walkJson(bytes: Buffer, bounds: WalkBounds, findRepeats = false): Walked {
  const walk: Walk = {
    bytes,
    bounds,
    at: 0,
    end: bytes.length,
    escaped: false,
    exponent: false,
    problem: undefined,
    path: [],
    keys: findRepeats ? [] : undefined,
    expect: 'value',
    inObject: false,
    nodes: 0,
    members: 0,
    fault: undefined,
  };
  for (;;) {
    let byte = bytes[walk.at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++walk.at];
    if (byte === undefined && walk.expect === 'nothing') return { members: walk.members, fault: undefined };
    const done = byte === undefined ? unexpected(walk) : step(walk, byte);
    if (!done) return { members: walk.members, fault: walk.fault };
  }
}

/** Takes one token that starts with `byte`. False when it is at fault. */
function step(walk: Walk, byte: number): boolean {
  switch (walk.expect) {
    case 'value':
      return takeValue(walk, byte);
    case 'comma or close':
      if (byte !== 0x2c) return takeClose(walk, byte);
      walk.at++;
      if (walk.inObject) walk.expect = 'key';
      else {
        const top = walk.path.length - 1;
        walk.path[top] = (walk.path[top] as number) - 1;
        walk.expect = 'value';
      }
      return true;
    case 'key':
      return byte === 0x22 ? takeKey(walk) : unexpected(walk);
    case 'key or }':
      return byte === 0x22 ? takeKey(walk) : takeClose(walk, byte);
    case 'value or ]':
      return byte === 0x5d ? takeClose(walk, byte) : takeValue(walk, byte);
    case 'colon':
      if (byte !== 0x3a) return unexpected(walk);
      walk.at++;
      walk.expect = 'value';
      return true;
    case 'nothing':
      return refuse(walk, 'ingress.not_json', 'there is text after the value');
  }
}

function takeKey(walk: Walk): boolean {
  const start = walk.at;
  walk.path[walk.path.length - 1] = start;
  if (!endOfString(walk)) return refuseText(walk);
  walk.members++;
  walk.expect = 'colon';
  const length = walk.at - start - 2;
  if (walk.keys === undefined && !walk.escaped && length !== 9 && length !== 11) return true;
  const key = keyAt(walk.bytes, start);
  if (FORBIDDEN.has(key)) return refuse(walk, 'ingress.forbidden_key', `the key ${key} is never accepted`, start);
  const seen = walk.keys?.[walk.keys.length - 1];
  if (seen?.has(key)) return refuse(walk, 'ingress.duplicate_key', 'the key stands twice in one object', start);
  seen?.add(key);
  return true;
}

function takeValue(walk: Walk, byte: number): boolean {
  if (++walk.nodes > walk.bounds.maxNodes) {
    return refuse(walk, 'ingress.too_many_nodes', `there are more than ${walk.bounds.maxNodes} values`);
  }
  if (byte === 0x7b || byte === 0x5b) return takeOpen(walk, byte === 0x7b);
  if (byte === 0x22) {
    if (!endOfString(walk)) return refuseText(walk);
  } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
    const start = walk.at;
    if (!endOfNumber(walk)) return refuse(walk, 'ingress.not_json', 'the number is not spelt as JSON spells numbers', start);
    if ((walk.exponent || walk.at - start > SAFE_SPELLING) && isUnsafe(walk.bytes.toString('latin1', start, walk.at))) {
      return refuse(walk, 'ingress.unsafe_number', 'the number is larger than every JSON reader keeps exactly', start);
    }
  } else if (!takeWord(walk, byte)) return unexpected(walk);
  walk.expect = walk.path.length === 0 ? 'nothing' : 'comma or close';
  return true;
}

function takeOpen(walk: Walk, isObject: boolean): boolean {
  if (walk.path.length >= walk.bounds.maxDepth) {
    return refuse(walk, 'ingress.too_deep', `the nesting is deeper than ${walk.bounds.maxDepth}`);
  }
  walk.path.push(isObject ? walk.at : -1);
  walk.keys?.push(new Set());
  walk.inObject = isObject;
  walk.expect = isObject ? 'key or }' : 'value or ]';
  walk.at++;
  return true;
}

function takeClose(walk: Walk, byte: number): boolean {
  if (byte !== (walk.inObject ? 0x7d : 0x5d)) return unexpected(walk);
  walk.at++;
  walk.path.pop();
  walk.keys?.pop();
  const depth = walk.path.length;
  walk.inObject = depth > 0 && (walk.path[depth - 1] as number) >= 0;
  walk.expect = depth === 0 ? 'nothing' : 'comma or close';
  return true;
}

/** Compared byte by byte: cutting a string out costs more than all else in this pass. */
function takeWord(walk: Walk, byte: number): boolean {
  const word = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : NULL;
  for (let i = 0; i < word.length; i++) if (walk.bytes[walk.at + i] !== word[i]) return false;
  walk.at += word.length;
  return true;
}

function unexpected(walk: Walk): false {
  const reason = walk.at >= walk.end ? 'the text ends too early' : `a ${walk.expect} is missing`;
  return refuse(walk, 'ingress.not_json', reason);
}

function refuseText(walk: Walk): false {
  const { code, reason } = walk.problem ?? { code: 'ingress.not_json', reason: 'the text ends inside a string' };
  return refuse(walk, code, reason);
}

function refuse(walk: Walk, code: IngressCode, reason: string, offset = walk.at): false {
  walk.fault = { code, reason, offset, pointer: pointerOf(walk) };
  return false;
}

/** The JSON pointer of the member or element being read. Odd characters show as escapes and long keys are cut: it is for people. */
function pointerOf(walk: Walk): string {
  let pointer = '';
  for (const entry of walk.path) {
    if (entry < 0) pointer += `/${-1 - entry}`;
    else if (walk.bytes[entry] === 0x22) pointer += `/${segment(walk.bytes, entry)}`;
  }
  return pointer;
}

function segment(bytes: Buffer, start: number): string {
  let key: string;
  try {
    key = keyAt(bytes, start);
  } catch {
    return '(unreadable key)';
  }
  return visible(key.replaceAll('~', '~0').replaceAll('/', '~1'), 64);
}
