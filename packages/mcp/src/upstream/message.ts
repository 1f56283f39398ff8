import type { JsonObject, UpstreamReply } from '@countersign/engine';
import { scanJson } from '../ingress/scan.ts';
import { membersOf } from '../ingress/skim.ts';
import { type Exchanged, failed, type LinkFailure } from './link.ts';

/** Nodes of one upstream message; a listing of some hundred tools is the largest honest one. */
const MAX_NODES = 500_000;

/** What a raw message is, as far as its envelope shows; `undefined` when it is not even shaped like one. */
export type Envelope = { readonly id: unknown; readonly isReply: boolean };

/** Reads the envelope by its outline alone, so that a reply which breaks a bound still finds its request. */
export function envelopeOf(bytes: Buffer): Envelope | undefined {
  const members = membersOf(bytes);
  if (members === undefined) return undefined;
  const id = members.get('id');
  return {
    id: id && shortJson(bytes.subarray(id.start, id.end)),
    isReply: !members.has('method') && (members.has('result') || members.has('error')),
  };
}

/**
 * The id of a reply of which only the first and last bytes are at hand. Sound for whole JSON: nothing but the outermost object starts or ends
 * with these.
 */
export function idOfEdges(head: Buffer, tail: Buffer): number | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,/.exec(head.toString('latin1')) ??
    /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail.toString('latin1'));
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/** A message as a frozen object, scanned like any input; or why not. */
export function readMessage(bytes: Buffer, maxBytes: number): { readonly message: JsonObject } | { readonly problem: string } {
  const scanned = scanJson(bytes, { maxBytes, maxNodes: MAX_NODES });
  if (!scanned.ok) return { problem: scanned.error.message };
  const { value } = scanned.value;
  if (!isObject(value)) return { problem: 'The message is not an object.' };
  return { message: value };
}

/** The reply to a tools/call: the result as sent, or the error as sent. Nothing of a result is validated against a schema. */
export function readReply(
  bytes: Buffer,
  maxBytes: number,
): { readonly ok: true; readonly value: UpstreamReply } | { readonly ok: false; readonly error: LinkFailure } {
  const read = readMessage(bytes, maxBytes);
  if ('problem' in read) return badReply(read.problem);
  const { result, error } = read.message;
  if (isObject(result) && error === undefined) return { ok: true, value: { kind: 'result', result } };
  if (!isObject(error) || result !== undefined) return badReply('The reply has neither a result nor an error.');
  const { code, message } = error;
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string')
    return badReply('The error has no code or no message.');
  const known = { code, message, ...('data' in error ? { data: error.data } : {}) };
  return { ok: true, value: { kind: 'error', error: Object.freeze(known) } };
}

/** The progress of one request, without the token that only this hop knows; `undefined` when the message is none. */
export function readProgress(message: JsonObject): { readonly token: unknown; readonly progress: JsonObject } | undefined {
  const { method, params } = message;
  return method === 'notifications/progress' && isObject(params) ? splitProgress(params) : undefined;
}

export function splitProgress(params: JsonObject): { readonly token: unknown; readonly progress: JsonObject } {
  const { progressToken, ...progress } = params;
  return { token: progressToken, progress: Object.freeze(progress) };
}

export function badReply(problem: string): Exchanged & { ok: false } {
  return failed(true, 'upstream.bad_reply', `The reply was refused. ${problem}`) as Exchanged & { ok: false };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortJson(bytes: Buffer): unknown {
  if (bytes.length > 256) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
