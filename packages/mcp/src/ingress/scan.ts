import { isUtf8 } from 'node:buffer';
import type { Result } from '@countersign/contracts';
import { freezeJson } from './freeze.ts';
import { type Fault, type IngressCode, walkJson } from './json-walk.ts';

export type Bounds = {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Values of every kind, the outermost included. */
  readonly maxNodes: number;
  /** Also refuse keys of the outermost object and of its `params` that differ only by case: some readers take them for the same. */
  readonly envelope: boolean;
};

export const DEFAULT_BOUNDS: Bounds = { maxBytes: 4 * 1024 * 1024, maxDepth: 64, maxNodes: 100_000, envelope: false };

/** Where the fault is: a JSON pointer and a byte offset into the text. */
type Place = { readonly pointer: string; readonly offset: number };
export type Scanned = Result<{ readonly value: unknown }, IngressCode>;

/**
 * Parses raw bytes strictly and yields a deep-frozen value; never throws, never recurses. Refused, with `detail: Place`: repeated keys,
 * `__proto__ / constructor / prototype` keys, integers beyond ±(2^53−1) and numbers that overflow, invalid UTF-8, a byte-order mark, lone
 * surrogates and NUL in strings, arrays at the top (batches), text after the value, and whatever is over a bound.
 * -0 becomes 0, the way it is hashed (RFC 8785) and sent, so that what is judged is what is sent.
 */
export function scanJson(bytes: Uint8Array, bounds: Partial<Bounds> = {}): Scanned {
  const limits = { ...DEFAULT_BOUNDS, ...bounds };
  if (bytes.length > limits.maxBytes) {
    return refused({
      code: 'ingress.too_large',
      reason: `there are more than ${limits.maxBytes} bytes`,
      pointer: '',
      offset: limits.maxBytes,
    });
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const early = encodingFault(buffer) ?? batchFault(buffer);
  if (early !== undefined) return refused(early);

  const walked = walkJson(buffer, limits);
  if (walked.fault !== undefined) return refused(walked.fault);
  const value: unknown = JSON.parse(buffer.toString('utf8'));
  const frozen = freezeJson(value);
  if (frozen.members !== walked.members) {
    const { fault } = walkJson(buffer, limits, true);
    if (fault === undefined) throw new Error('A parsed text lost members and no key stands twice in it.');
    return refused(fault);
  }
  const folded = limits.envelope ? foldedKey(value) : undefined;
  if (folded !== undefined) return refused(folded);
  return { ok: true, value: { value: frozen.value } };
}

function encodingFault(buffer: Buffer): Fault | undefined {
  if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) {
    return { code: 'ingress.not_utf8', reason: 'the text begins with a byte-order mark', pointer: '', offset: 0 };
  }
  if (isUtf8(buffer)) return undefined;
  return { code: 'ingress.not_utf8', reason: 'the bytes are not valid UTF-8', pointer: '', offset: firstInvalidByte(buffer) };
}

/** Decoding puts U+FFFD where the bytes are at fault, so the text first differs there once it is encoded again. */
function firstInvalidByte(buffer: Buffer): number {
  const again = Buffer.from(buffer.toString('utf8'));
  let at = 0;
  while (at < buffer.length && buffer[at] === again[at]) at++;
  // The first bytes of U+FFFD may equal those of the broken character.
  while (at > 0 && ((again[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

function batchFault(buffer: Buffer): Fault | undefined {
  let at = 0;
  while (buffer[at] === 0x20 || buffer[at] === 0x0a || buffer[at] === 0x0d || buffer[at] === 0x09) at++;
  if (buffer[at] !== 0x5b) return undefined;
  return { code: 'ingress.batch', reason: 'an array of messages is not accepted; send one message', pointer: '', offset: at };
}

function foldedKey(value: unknown): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const params = (value as { params?: unknown }).params;
  const inner = typeof params === 'object' && params !== null && !Array.isArray(params) ? repeatedFold(params) : undefined;
  const key = repeatedFold(value) ?? inner;
  if (key === undefined) return undefined;
  const pointer = key === inner ? `/params/${key}` : `/${key}`;
  return { code: 'ingress.duplicate_key', reason: 'two keys differ only by case', pointer, offset: 0 };
}

function repeatedFold(record: object): string | undefined {
  const seen = new Set<string>();
  for (const key of Object.keys(record)) {
    const fold = key.toLowerCase();
    if (seen.has(fold)) return key;
    seen.add(fold);
  }
  return undefined;
}

function refused({ code, reason, pointer, offset }: Fault): Scanned {
  const place: Place = { pointer, offset };
  const where = pointer === '' ? `byte ${offset}` : `${pointer} (byte ${offset})`;
  return { ok: false, error: { code, message: `Refused at ${where}: ${reason}.`, detail: place } };
}
