import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';

export type RequestId = string | number;
/** A parsed JSON-RPC message, as far as the bridge needs to look into it. */
export type Line = { readonly id?: RequestId; readonly method?: string; readonly params?: Readonly<Record<string, unknown>> };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

/** @returns null for what is not JSON or no object; nothing else is checked here. */
export function parseLine(line: Uint8Array | string): Line | null {
  try {
    const value: unknown = JSON.parse(typeof line === 'string' ? line : new TextDecoder().decode(line));
    return typeof value === 'object' && value !== null ? (value as Line) : null;
  } catch {
    return null;
  }
}

/** Whether the message says that it speaks 2026-07-28 or later: only those carry their revision in `_meta`. */
export function isModern({ params }: Line): boolean {
  const meta = params?._meta as Readonly<Record<string, unknown>> | undefined;
  return meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
}

export const errorLine = (id: RequestId | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
