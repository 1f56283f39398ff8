/**
 * Carries JSON-RPC lines between a client that speaks MCP over stdio and the HTTP endpoint, in both protocol eras.
 *
 * B1 What the client wrote leaves byte for byte, so that the host judges what was written and not what this process made of it.
 * B2 Every request is answered: by the host, or by an error that says why it can't be.
 * B3 A request is sent a second time only if the host certainly did not look at it: an unknown session after its restart.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';
import { type JSONRPCMessage, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { byteLines } from './byte-lines.ts';
import { newHandshake } from './handshake.ts';
import {
  errorLine,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isModern,
  type Line,
  PARSE_ERROR,
  parseLine,
  type RequestId,
} from './json-rpc-line.ts';
import { paramHeaders } from './param-headers.ts';

export type BridgeOptions = {
  readonly mcpUrl: string;
  /** Without one, the client is in the anonymous lane. */
  readonly token: string | null;
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: Writable;
  /** Aborted: what is in flight is given up. The end of `input` gives nothing up. */
  readonly signal: AbortSignal;
  /** Trouble on the way to the host, for people. */
  readonly log: (line: string) => void;
};

/** Resolves when `input` has ended and everything in flight is answered, or when the signal is aborted. */
export async function bridgeStdio(options: BridgeOptions): Promise<void> {
  const { signal } = options;
  const bridge = new Bridge(options);
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await bridge.open();
  await Promise.race([aborted, bridge.carry(options.input)]);
  await bridge.close({ endSession: !signal.aborted });
}

const NOT_JSON_RPC = errorLine(null, PARSE_ERROR, 'This line is not a JSON-RPC message.');
const NO_BATCHES = errorLine(null, INVALID_REQUEST, 'JSON-RPC batches are not accepted: send one message a line.');

type InFlight = { readonly line: Line; readonly stop: AbortController; readonly ended: () => void };

class Bridge {
  readonly #options: BridgeOptions;
  readonly #raw = new AsyncLocalStorage<Uint8Array>();
  readonly #transport: StreamableHTTPClientTransport;
  readonly #handshake;
  readonly #marks = paramHeaders();
  readonly #inFlight = new Map<RequestId, InFlight>();

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#transport = new StreamableHTTPClientTransport(new URL(options.mcpUrl), {
      ...(options.token !== null && { requestInit: { headers: { Authorization: `Bearer ${options.token}` } } }),
      fetch: (url, init) => {
        const line = init?.method === 'POST' ? this.#raw.getStore() : undefined;
        return fetch(url, line === undefined ? init : { ...init, body: line });
      },
    });
    this.#handshake = newHandshake(this.#transport);
    this.#transport.onmessage = (message) => this.#hear(message);
    this.#transport.onerror = (error) => options.log(error.message);
  }

  open(): Promise<void> {
    return this.#transport.start();
  }

  async close({ endSession }: { readonly endSession: boolean }): Promise<void> {
    if (endSession) await this.#transport.terminateSession().catch(() => {});
    await this.#transport.close();
  }

  /** Resolves when every line is sent and every request answered. */
  async carry(input: AsyncIterable<Uint8Array>): Promise<void> {
    const underway = new Set<Promise<void>>();
    for await (const bytes of byteLines(input)) {
      const line = parseLine(bytes);
      const fault = line === null ? NOT_JSON_RPC : Array.isArray(line) ? NO_BATCHES : null;
      if (fault !== null) this.#write(fault);
      if (line === null || fault !== null || this.#cancelsStream(line)) continue;
      const sent = this.#forward(bytes, line);
      underway.add(sent);
      void sent.finally(() => underway.delete(sent));
      // The session begins with these two: what follows needs it.
      if (line.method === 'initialize' || line.method === 'notifications/initialized') await sent;
    }
    await Promise.all(underway);
  }

  /** Resolves when a request is answered, anything else when it is sent. Never rejects. */
  async #forward(bytes: Uint8Array, line: Line): Promise<void> {
    const { id, method } = line;
    this.#handshake.noteSent(line);
    if (id === undefined || method === undefined) return this.#send(bytes, line, {}).catch(() => {});
    await new Promise<void>((ended) => {
      const stop = new AbortController();
      this.#inFlight.set(id, { line, stop, ended });
      const options = {
        requestSignal: stop.signal,
        onRequestStreamEnd: () => this.#giveUp(id, new Error('The answer broke off. The call may have run.')),
        ...(method === 'tools/call' && isModern(line) && { headers: this.#marks.headersFor(line.params) }),
      };
      this.#send(bytes, line, options).catch((error: unknown) => this.#giveUp(id, error));
    });
  }

  async #send(bytes: Uint8Array, line: Line, options: Parameters<StreamableHTTPClientTransport['send']>[1]): Promise<void> {
    const send = () => this.#raw.run(bytes, () => this.#transport.send(line as JSONRPCMessage, options));
    try {
      await send();
    } catch (error) {
      if (!(error instanceof SdkHttpError && error.status === 404)) throw error;
      await this.#handshake.repeat();
      await send();
    }
  }

  #hear(message: JSONRPCMessage): void {
    if (this.#handshake.hears(message)) return;
    if (!('method' in message) && message.id !== undefined) {
      const request = this.#end(message.id);
      if (request?.line.method === 'tools/list' && 'result' in message) this.#marks.learn(message.result);
    }
    this.#write(JSON.stringify(message));
  }

  #end(id: RequestId): InFlight | undefined {
    const request = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    request?.ended();
    return request;
  }

  /** 2026-07-28 cancels over HTTP by closing the request's own stream; there is no message for it. */
  #cancelsStream({ method, params }: Line): boolean {
    const id = method === 'notifications/cancelled' ? (params?.requestId as RequestId | undefined) : undefined;
    const request = id === undefined ? undefined : this.#inFlight.get(id);
    if (id === undefined || request === undefined || !isModern(request.line)) return false;
    this.#end(id);
    request.stop.abort();
    return true;
  }

  #giveUp(id: RequestId, error: unknown): void {
    if (this.#end(id) === undefined) return;
    this.#write(hostErrorLine(error, id) ?? errorLine(id, INTERNAL_ERROR, explain(error, this.#options.mcpUrl)));
  }

  #write(line: string): void {
    this.#options.output.write(`${line}\n`);
  }
}

/** The host's own JSON-RPC error for this very request, where its answer was one. */
function hostErrorLine(error: unknown, id: RequestId): string | null {
  if (!(error instanceof SdkHttpError) || typeof error.data.text !== 'string') return null;
  const answer = parseLine(error.data.text) as { readonly id?: unknown; readonly error?: unknown } | null;
  const isFor = answer?.id === id || answer?.id === null;
  return isFor && typeof answer?.error === 'object' ? JSON.stringify({ ...answer, id }) : null;
}

function explain(error: unknown, url: string): string {
  if (error instanceof SdkHttpError) return `Countersign at ${url} answered with HTTP ${error.status}: ${error.message}`;
  if (error instanceof TypeError) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `Countersign can't be reached at ${url}${cause}`;
  }
  return error instanceof Error ? error.message : String(error);
}
