import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { readEventStream } from './event-stream.ts';
import type { GivenUp } from './link.ts';

/** Below the 5 s after which Node servers close an idle connection: a request must not meet one that is just closing. */
const IDLE_SOCKET_MS = 4000;
/** How long an event stream may stay open after the reply. */
const LINGER_MS = 1000;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** The timeout ends idle sockets only: a request in progress has no limit but its signal. */
const AGENT_OPTIONS = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 64 };

export type HttpSender = {
  readonly send: (request: HttpRequest) => Promise<HttpOutcome>;
  readonly close: () => void;
};

type HttpRequest = {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly maxBytes: number;
  /** Each message of an event stream; true of the one that ends it. */
  readonly isReply: (message: Buffer) => boolean;
};

export type HttpOutcome =
  | { readonly kind: 'reply'; readonly message: Buffer }
  /** The status is no success, or the answer is neither JSON nor an event stream. */
  | { readonly kind: 'refusal'; readonly status: number; readonly type: string; readonly body: Buffer }
  /** The event stream ended or broke before the reply. */
  | { readonly kind: 'cut'; readonly lastId: string | undefined; readonly retryMs: number | undefined }
  | { readonly kind: 'too_large' }
  /** `sent: false`: no connection was ever made. */
  | { readonly kind: 'failed'; readonly sent: boolean; readonly message: string }
  | { readonly kind: 'given_up'; readonly sent: boolean; readonly why: GivenUp };

/**
 * The short way to one URL: Node's own client with kept connections costs a fourth of `fetch`, has no hidden timeouts, and shows whether a
 * request can have left. Redirects are not followed.
 */
export function openHttpSender(url: URL): HttpSender {
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new HttpsAgent(AGENT_OPTIONS) : new HttpAgent(AGENT_OPTIONS);
  const open = isTls ? httpsRequest : httpRequest;
  const target = urlToHttpOptions(url);
  return {
    send: (request) =>
      new Promise((resolve) => {
        const { method, headers, body } = request;
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        try {
          const client = open({ ...target, method, agent, headers: { ...headers, ...length } });
          follow(client, request, isTls ? 'secureConnect' : 'connect', resolve);
          client.end(body);
        } catch (error) {
          // A header that HTTP can't carry.
          resolve({ kind: 'failed', sent: false, message: (error as Error).message });
        }
      }),
    close: () => agent.destroy(),
  };
}

function follow(client: ClientRequest, request: HttpRequest, ready: string, resolve: (outcome: HttpOutcome) => void): void {
  const { signal } = request;
  let sent = false;
  let isSettled = false;
  const settle = (outcome: HttpOutcome, keep = false) => {
    if (isSettled) return;
    isSettled = true;
    signal?.removeEventListener('abort', giveUp);
    if (!keep) client.destroy();
    resolve(outcome);
  };
  const giveUp = () => settle({ kind: 'given_up', sent, why: signal?.reason as GivenUp });
  client.on('socket', (socket) => {
    if (!socket.connecting) sent = true;
    else socket.once(ready, () => (sent = true));
  });
  client.on('error', (error) =>
    settle({ kind: 'failed', sent, message: error.message || (error as NodeJS.ErrnoException).code || 'no connection' }),
  );
  client.on('response', (response) => readResponse(response, request, settle));
  if (signal?.aborted === true) giveUp();
  else signal?.addEventListener('abort', giveUp, { once: true });
}

type Settle = (outcome: HttpOutcome, keepConnection?: boolean) => void;

function readResponse(response: IncomingMessage, request: HttpRequest, settle: Settle): void {
  const status = response.statusCode ?? 0;
  const type = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isSuccess = status === 200;
  if (isSuccess && type === 'text/event-stream') {
    readEvents(response, request, settle);
    return;
  }
  const isReply = isSuccess && type === 'application/json';
  const maxBytes = isReply ? request.maxBytes : MAX_REFUSAL_BYTES;
  const whole = (body: Buffer): HttpOutcome => (isReply ? { kind: 'reply', message: body } : { kind: 'refusal', status, type, body });
  const tooLong = (body: Buffer): HttpOutcome => (isReply ? { kind: 'too_large' } : { kind: 'refusal', status, type, body });
  if (Number(response.headers['content-length']) > maxBytes) {
    settle(tooLong(Buffer.alloc(0)));
    return;
  }
  const parts: Buffer[] = [];
  let size = 0;
  response.on('data', (part: Buffer) => {
    size += part.length;
    if (size > maxBytes) settle(tooLong(Buffer.alloc(0)));
    else parts.push(part);
  });
  response.on('end', () => settle(whole(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)), true));
  response.on('error', (error) =>
    settle({ kind: 'failed', sent: true, message: `The connection broke during the reply: ${error.message}` }),
  );
}

function readEvents(response: IncomingMessage, request: HttpRequest, settle: Settle): void {
  let isOver = false;
  const finish: Settle = (outcome, keepConnection) => {
    isOver = true;
    settle(outcome, keepConnection);
  };
  const stream = readEventStream(
    request.maxBytes,
    (message) => {
      if (isOver || !request.isReply(message)) return;
      finish({ kind: 'reply', message }, true);
      // A stream that ends now leaves the connection to the next request.
      const cutOff = setTimeout(() => response.destroy(), LINGER_MS);
      response.once('close', () => clearTimeout(cutOff));
    },
    () => finish({ kind: 'too_large' }),
  );
  const cut = () => {
    if (!isOver) finish({ kind: 'cut', lastId: stream.lastId(), retryMs: stream.retryMs() }, true);
  };
  response.on('data', (chunk: Buffer) => {
    if (!isOver) stream.feed(chunk);
  });
  response.on('end', cut);
  response.on('error', cut);
}
