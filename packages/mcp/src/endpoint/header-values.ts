import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { RPC, type RpcError } from './rpc.ts';

/** The value of a header that may stand once; repeats arrive joined and then equal nothing. */
export function oneHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value?.trim();
}

/**
 * A header value that mirrors text of the body: as it is, or as `=?base64?…?=` of its UTF-8 bytes where HTTP can't carry it. Undefined when
 * that form is broken.
 */
export function readHeaderValue(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export function headerMismatch(header: string, why: string): RpcError {
  return {
    code: RPC.headerMismatch,
    message: `Bad Request: the request headers and body disagree: ${why}`,
    data: { mismatch: { header, body: why } },
  };
}
