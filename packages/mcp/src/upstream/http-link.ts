import type { ServerConfig } from '@countersign/contracts';
import type { JsonObject } from '@countersign/engine';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { cappedFetch } from './capped-fetch.ts';
import { type HttpOutcome, type HttpSender, openHttpSender } from './http-send.ts';
import { type Exchanged, failed, givenUp, type Link, type LinkDeps, type LinkEvents, type OpenOptions, type Outgoing } from './link.ts';
import { envelopeOf, readMessage, readProgress, splitProgress } from './message.ts';
import { openSdkSession, requestMetaOf, type SdkSession } from './sdk-session.ts';

export type HttpServer = Extract<ServerConfig, { url: string }>;

/** A server that closes its stream and wants to be asked again (2025-11-25) gets this many tries. */
const MAX_RESUMES = 10;
const RESUME_MS = { default: 1000, longest: 30_000 };
const GOODBYE_MS = 1000;
/** With these the server says that it did not take the request in; of any other failure nobody knows what was done. */
const NOT_TAKEN: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 413, 415, 421, 429]);

/**
 * Reaches a server over Streamable HTTP. The SDK agrees on the revision and listens for changes; requests of ours go the short way, with the
 * session and revision it agreed on. Nothing but the configured headers and these is ever sent. Rejects when there is no agreement.
 */
export async function openHttpLink(config: HttpServer, deps: LinkDeps, options: OpenOptions, events: LinkEvents): Promise<Link> {
  const url = new URL(config.url);
  const configured = Object.fromEntries(Object.entries(config.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: cappedFetch(config.max_result_bytes),
    requestInit: { headers: configured },
  });
  const waiting = new Map<number, Outgoing>();
  // Some servers send progress on the stream for everything else.
  const onProgress = (params: JsonObject) => {
    const { token, progress } = splitProgress(params);
    if (typeof token === 'number') waiting.get(token)?.onProgress?.(progress);
  };
  const stop = () => void transport.close();
  options.signal.addEventListener('abort', stop, { once: true });
  const session = await openSdkSession(transport, { ...deps, ...options, onToolsChanged: events.onToolsChanged, onProgress })
    .catch((error: unknown) => {
      throw new Error(reasonOf(error), { cause: error });
    })
    .finally(() => options.signal.removeEventListener('abort', stop));
  const sender = openHttpSender(url);
  const way = new HttpWay(config, configured, transport, session, sender, deps, events);
  return {
    era: session.era,
    transport: 'http',
    requestMeta: requestMetaOf(session),
    exchange: async (request, signal) => {
      waiting.set(request.id, request);
      try {
        return await way.exchange(request, signal);
      } finally {
        waiting.delete(request.id);
      }
    },
    close: () => way.close(),
  };
}

/** The short way, from the handshake until it is closed. */
class HttpWay {
  readonly #config: HttpServer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #session: SdkSession;
  readonly #sender: HttpSender;
  readonly #deps: LinkDeps;
  readonly #events: LinkEvents;
  #isClosed = false;

  constructor(
    config: HttpServer,
    configured: Readonly<Record<string, string>>,
    transport: StreamableHTTPClientTransport,
    session: SdkSession,
    sender: HttpSender,
    deps: LinkDeps,
    events: LinkEvents,
  ) {
    this.#config = config;
    this.#transport = transport;
    this.#session = session;
    this.#sender = sender;
    this.#deps = deps;
    this.#events = events;
    const { sessionId } = transport;
    this.#headers = {
      ...configured,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': session.protocolVersion,
      ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
    };
  }

  async exchange(request: Outgoing, signal: AbortSignal): Promise<Exchanged> {
    const { id, method, params } = request;
    const isReply = (message: Buffer) => this.#isReply(message, request);
    const first = await this.#sender.send({
      method: 'POST',
      headers: { ...this.#headers, ...request.headers },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal,
      maxBytes: this.#config.max_result_bytes,
      isReply,
    });
    const outcome = await this.#resume(first, signal, isReply);
    return this.#judge(outcome, id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sender.close();
    if (this.#session.era === 'legacy') await withTimeLimit(GOODBYE_MS, this.#transport.terminateSession());
    await withTimeLimit(GOODBYE_MS, this.#session.client.close());
  }

  /** Asks again for the rest of a stream that the server cut, as its revision says, until the reply comes or the tries are used up. */
  async #resume(first: HttpOutcome, signal: AbortSignal, isReply: (message: Buffer) => boolean): Promise<HttpOutcome> {
    let outcome = first;
    let lastId: string | undefined;
    for (let tries = 0; outcome.kind === 'cut' && tries < MAX_RESUMES && !this.#isClosed; tries++) {
      lastId = outcome.lastId ?? lastId;
      if (lastId === undefined || this.#session.era === 'modern') return outcome;
      await this.#pause(Math.min(outcome.retryMs ?? RESUME_MS.default, RESUME_MS.longest), signal);
      const { 'content-type': _, ...headers } = this.#headers;
      outcome = await this.#sender.send({
        method: 'GET',
        headers: { ...headers, accept: 'text/event-stream', 'last-event-id': lastId },
        signal,
        maxBytes: this.#config.max_result_bytes,
        isReply,
      });
    }
    // The request itself went out long before, whatever became of asking for the rest.
    if (outcome !== first && (outcome.kind === 'failed' || outcome.kind === 'given_up')) return { ...outcome, sent: true };
    return outcome !== first && outcome.kind === 'refusal' ? { kind: 'cut', lastId, retryMs: undefined } : outcome;
  }

  #judge(outcome: HttpOutcome, id: number): Exchanged {
    switch (outcome.kind) {
      case 'reply':
        if (envelopeOf(outcome.message)?.id === id) return { ok: true, value: outcome.message };
        return failed(true, 'upstream.bad_reply', 'The reply was refused. It is no reply to this request.');
      case 'cut':
        return failed(true, 'upstream.down', 'The connection ended before the reply.');
      case 'too_large':
        return failed(true, 'upstream.too_large', `The reply is longer than ${this.#config.max_result_bytes} bytes.`);
      case 'given_up':
        if (outcome.sent && this.#session.era === 'legacy')
          this.#post({ method: 'notifications/cancelled', params: { requestId: id, reason: outcome.why.message } });
        return givenUp(outcome.sent, outcome.why);
      case 'failed':
        if (!outcome.sent) this.#events.onDown(`The server can't be reached: ${outcome.message}`);
        return failed(outcome.sent, 'upstream.down', outcome.sent ? outcome.message : `The server can't be reached: ${outcome.message}`);
      case 'refusal':
        return this.#judgeRefusal(outcome, id);
    }
  }

  #judgeRefusal({ status, type, body }: Extract<HttpOutcome, { kind: 'refusal' }>, id: number): Exchanged {
    const envelope = type === 'application/json' ? envelopeOf(body) : undefined;
    if (envelope?.isReply === true && envelope.id === id) return { ok: true, value: body };
    const sent = !NOT_TAKEN.has(status);
    const isSessionLost = this.#transport.sessionId !== undefined && (status === 404 || (status === 400 && envelope?.isReply === true));
    const message =
      sent || status !== 401
        ? `The server answered HTTP ${status}${type === '' ? '' : ` (${type})`}.`
        : 'The server refused our credentials (HTTP 401).';
    return { ok: false, error: { sent, code: isSessionLost ? 'upstream.down' : 'upstream.bad_reply', message, isSessionLost } };
  }

  #isReply(bytes: Buffer, request: Outgoing): boolean {
    const envelope = envelopeOf(bytes);
    if (envelope?.isReply === true) return envelope.id === request.id;
    const read = readMessage(bytes, this.#config.max_result_bytes);
    if ('problem' in read) {
      this.#deps.log.warn({ server: this.#deps.server, problem: read.problem }, 'upstream event skipped');
      return false;
    }
    const { id, method } = read.message;
    const noted = readProgress(read.message);
    if (noted !== undefined) {
      if (noted.token === request.id) request.onProgress?.(noted.progress);
    } else if (method === 'notifications/tools/list_changed') this.#events.onToolsChanged();
    else if (id !== undefined && typeof method === 'string') this.#answer(id, method);
    return false;
  }

  /** We declare no capability, so nothing may be asked of us; the modern era has no such requests at all. */
  #answer(id: unknown, method: string): void {
    if (this.#session.era === 'modern') return;
    this.#post(method === 'ping' ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } });
  }

  /** Something the server need not answer; whether it arrives is not waited for. */
  #post(message: JsonObject): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    void this.#sender.send({ method: 'POST', headers: this.#headers, body, maxBytes: 0, isReply: () => false });
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#deps.clock.after(ms, done);
      function done() {
        stop();
        signal.removeEventListener('abort', done);
        resolve();
      }
      if (signal.aborted) done();
      else signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** The message with that of the deepest cause, which alone names the system's error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let deepest = error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  return error.message.includes(deepest.message) ? error.message : `${error.message} (${deepest.message})`;
}

/** A farewell that fails or takes too long changes nothing. */
async function withTimeLimit(ms: number, farewell: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([farewell.catch(() => undefined), limit]);
  clearTimeout(timer);
}
