import type { ServerResponse } from 'node:http';
import { errorMessage, type RequestId, type RpcError } from './rpc.ts';

/** Whether anything can still be said on this response. */
export function isOpen(response: ServerResponse): boolean {
  return !response.writableEnded && !response.destroyed;
}

/** One JSON body; `status` is for HTTP, the message says the rest. */
export function writeJson(response: ServerResponse, status: number, message: object, headers: Readonly<Record<string, string>> = {}): void {
  if (!isOpen(response) || response.headersSent) return;
  const body = Buffer.from(JSON.stringify(message));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...headers });
  response.end(body);
}

export function writeError(
  response: ServerResponse,
  status: number,
  id: RequestId | null,
  error: RpcError,
  headers: Readonly<Record<string, string>> = {},
): void {
  writeJson(response, status, errorMessage(id, error), headers);
}

/** A server-sent event stream for one response. */
export type EventStream = { readonly send: (message: object) => void; readonly end: () => void };

/** Opens the stream and keeps it alive by comments, which reset no client's timer but keep proxies from closing it. */
export function openStream(response: ServerResponse, keepaliveMs: number): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  const keepalive = setInterval(() => {
    if (isOpen(response)) response.write(': keepalive\n\n');
  }, keepaliveMs);
  keepalive.unref();
  response.once('close', () => clearInterval(keepalive));
  return {
    send(message) {
      if (isOpen(response)) response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    },
    end() {
      clearInterval(keepalive);
      if (isOpen(response)) response.end();
    },
  };
}
