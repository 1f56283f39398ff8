import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject, PinnedTool } from '@countersign/engine';
import { headerMismatch, oneHeader, readHeaderValue } from './header-values.ts';
import { isRecord, type RpcError } from './rpc.ts';

type Declaration = { readonly path: readonly string[]; readonly header: string; readonly isNumber: boolean };

const declared = new WeakMap<PinnedTool, readonly Declaration[]>();

/**
 * Whether the `Mcp-Param-*` headers of a 2026-07-28 call say the same as its arguments, for each property that the tool marks with
 * `x-mcp-header`. Intermediaries act on the headers, the gate and the upstream on the body: the two must not tell different stories.
 */
export function paramHeaderFault(tool: PinnedTool, args: JsonObject, headers: IncomingHttpHeaders): RpcError | undefined {
  for (const { path, header, isNumber } of declarationsOf(tool)) {
    const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), args);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const given = oneHeader(headers, name.toLowerCase());
    if (given === undefined) return headerMismatch(name, `the body carries ${path.join('.')} but the ${name} header is absent`);
    const text = readHeaderValue(given);
    if (text === undefined) return headerMismatch(name, `the ${name} header is not valid Base64 of UTF-8 text`);
    const isSame =
      text === String(value) || (isNumber && typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value);
    if (!isSame) return headerMismatch(name, `the ${name} header does not carry the value of ${path.join('.')}`);
  }
  return undefined;
}

function declarationsOf(tool: PinnedTool): readonly Declaration[] {
  let found = declared.get(tool);
  if (!found) {
    found = collect(tool.inputSchema, []);
    declared.set(tool, found);
  }
  return found;
}

/** Only properties that are reached through `properties` count; the revision allows the mark nowhere else. */
function collect(schema: unknown, path: readonly string[]): Declaration[] {
  if (!isRecord(schema)) return [];
  const header = schema['x-mcp-header'];
  const own =
    path.length > 0 && typeof header === 'string' && header !== ''
      ? [{ path, header, isNumber: schema.type === 'integer' || schema.type === 'number' }]
      : [];
  const { properties } = schema;
  if (!isRecord(properties)) return own;
  return [...own, ...Object.entries(properties).flatMap(([key, child]) => collect(child, [...path, key]))];
}
