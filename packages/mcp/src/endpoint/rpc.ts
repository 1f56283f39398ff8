import type { ErrorCode } from '@countersign/contracts';

export type Era = 'legacy' | 'modern';
export type RequestId = string | number;
export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** JSON-RPC codes that this endpoint itself answers with. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** An error of ours with its stable code in `data`. */
export function rpcError(code: number, message: string, stable: ErrorCode, more: Readonly<Record<string, unknown>> = {}): RpcError {
  return { code, message, data: { code: stable, ...more } };
}

/** How a tools/call ends on the wire, before it is framed for an era. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly error: RpcError };

/** A tool that is hidden from the caller and one that does not exist answer with these same bytes, in every revision. */
export function unknownTool(name: string): CallAnswer {
  // No tool has a longer name than 128 characters; a longer one is not worth echoing.
  return { kind: 'error', error: { code: RPC.invalidParams, message: `Unknown tool: ${name.slice(0, 200)}` } };
}

export function errorMessage(id: RequestId | null, error: RpcError): object {
  return { jsonrpc: '2.0', id, error };
}

export function resultMessage(id: RequestId, result: object): object {
  return { jsonrpc: '2.0', id, result };
}

/** The id to answer a message with, or null where it has none that JSON-RPC allows. */
export function idOf(message: unknown): RequestId | null {
  const id = typeof message === 'object' && message !== null ? (message as { id?: unknown }).id : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
