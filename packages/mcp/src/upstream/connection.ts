import type { Digest, ServerConfig } from '@countersign/contracts';
import type { JsonObject, PinnedTool, UpstreamFailure, UpstreamReply } from '@countersign/engine';
import { visible } from '../ingress/visible.ts';
import type { OfferedTool } from '../toolbox.ts';
import { backoffMs } from './backoff.ts';
import { callParams, type Resume } from './call-params.ts';
import { openHttpLink } from './http-link.ts';
import { withLimits } from './limits.ts';
import { type Exchanged, failed, type Link, type LinkDeps, type LinkEvents, type OpenOptions } from './link.ts';
import { type Listing, listTools } from './list-tools.ts';
import { readReply } from './message.ts';
import { type ParamHeader, paramHeadersOf, standardHeaders } from './request-headers.ts';
import { openStdioLink, ProbeDeath } from './stdio-link.ts';

/** In milliseconds. */
export type Timing = {
  /** A child's answer to which era it speaks; silence means legacy. */
  readonly probeMs: number;
  /** One step of the handshake, and one page of a tool list. */
  readonly connectMs: number;
  /** How long a call waits for a connection that is being made. */
  readonly waitMs: number;
  /** How often the list is read again, since not every server announces changes, and a server over HTTP can be gone unnoticed. */
  readonly refreshMs: number;
};
export type State = 'connecting' | 'ready' | 'down';

export type CallOptions = {
  /** The definition that the call was judged by: with another one by now, it is not sent. */
  readonly digest?: Digest;
  readonly timeoutMs?: number;
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
  readonly meta?: JsonObject;
  readonly onProgress?: (progress: JsonObject) => void;
  readonly resume?: Resume;
};
export type CallOutcome = { readonly ok: true; readonly value: UpstreamReply } | { readonly ok: false; readonly error: UpstreamFailure };

export type ConnectionDeps = LinkDeps & {
  readonly timing: Timing;
  /** The server's list came anew: `offered` has it. */
  readonly onOffer: () => void;
  /** The tool as it is pinned now. */
  readonly pinned: (key: string) => PinnedTool | undefined;
};

/** A server that stayed up this long starts its backoff afresh. */
const STABLE_MS = 30_000;
/** Far above the ids that the SDK gives to its own requests on the same pipe, and still a 32-bit integer, which some servers need. */
const FIRST_ID = 1_000_000_000;

/**
 * One upstream for as long as the host runs: connects, reads its tools, connects again with backoff whenever it went down. What it offered
 * stays in `offered` while it is down.
 */
export class Connection {
  offered: readonly OfferedTool[] = [];
  state: State = 'connecting';
  since: number;
  error: string | undefined;
  readonly #config: ServerConfig;
  readonly #deps: ConnectionDeps;
  #link: Link | undefined;
  /** Counts links, so that news of one that was given up is not taken for news of the current one. */
  #generation = 0;
  #attempt: Promise<void> | undefined;
  #failures = 0;
  #mode: 'auto' | 'legacy' = 'auto';
  #nextId = FIRST_ID;
  readonly #closing = new AbortController();
  #isListing = false;
  #isStale = false;
  #listText: Buffer | undefined;
  #cancelTimer: () => void = () => undefined;
  #farewells = new Set<Promise<void>>();

  constructor(config: ServerConfig, deps: ConnectionDeps) {
    this.#config = config;
    this.#deps = deps;
    this.since = deps.clock.now();
  }

  /** Resolves after the first try, whether it came up or not. */
  start(): Promise<void> {
    this.#attempt = this.#connect();
    return this.#attempt;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelTimer();
    this.#drop();
    this.#enter('down', 'The host is shutting down.');
    await this.#attempt;
    await Promise.all(this.#farewells);
  }

  /** Sends one tools/call for a pinned tool. Never rejects. */
  call(tool: PinnedTool, args: JsonObject, options: CallOptions): Promise<CallOutcome> {
    const { timeoutMs, signal } = options;
    const limits = {
      idleMs: this.#config.timeout,
      ...(timeoutMs === undefined ? {} : { totalMs: timeoutMs }),
      ...(signal === undefined ? {} : { signal }),
    };
    return withLimits(this.#deps.clock, limits, async (inner, touch): Promise<CallOutcome> => {
      const link = this.#usable() ?? (await this.#waitForLink(inner));
      let exchanged = await this.#send(link, tool, args, options, inner, touch);
      if (!exchanged.ok && exchanged.error.isSessionLost === true && link !== undefined) {
        this.#renew(link);
        exchanged = await this.#send(await this.#waitForLink(inner), tool, args, options, inner, touch);
      }
      if (exchanged.ok) return readReply(exchanged.value, this.#config.max_result_bytes);
      const { sent, code, message } = exchanged.error;
      return { ok: false, error: { sent, code, message } };
    });
  }

  async #send(
    link: Link | undefined,
    tool: PinnedTool,
    args: JsonObject,
    options: CallOptions,
    signal: AbortSignal,
    touch: () => void,
  ): Promise<Exchanged> {
    if (link === undefined) return failed(false, 'upstream.down', this.error ?? 'The server is not connected.');
    // A connection that was made while the call waited may have brought another definition than the one that was judged.
    if (this.#deps.pinned(tool.key)?.digest !== (options.digest ?? tool.digest)) {
      return failed(false, 'upstream.down', 'The tool is not the one that the call was judged by.');
    }
    const id = this.#nextId++;
    const { onProgress, resume, meta, idempotencyKey } = options;
    const params = callParams(tool.name, args, {
      idempotencyKey,
      requestMeta: link.requestMeta,
      ...(meta === undefined ? {} : { meta }),
      ...(resume === undefined ? {} : { resume }),
      ...(onProgress === undefined ? {} : { progressToken: id }),
    });
    const report = (news: JsonObject) => {
      touch();
      try {
        onProgress?.(news);
      } catch (error) {
        this.#deps.log.error({ server: this.#deps.server, error }, 'a listener for progress failed');
      }
    };
    const headers =
      link.transport === 'http' && link.era === 'modern' ? { headers: standardHeaders('tools/call', params, paramHeaders(tool)) } : {};
    return link.exchange(
      { id, method: 'tools/call', params, ...headers, ...(onProgress === undefined ? {} : { onProgress: report }) },
      signal,
    );
  }

  #usable(): Link | undefined {
    return this.state === 'ready' ? this.#link : undefined;
  }

  /** Waits for a connection that is being made right now, not for one that waits for its next try. */
  async #waitForLink(signal: AbortSignal): Promise<Link | undefined> {
    if (this.state !== 'connecting' || this.#attempt === undefined || signal.aborted) return this.#usable();
    const attempt = this.#attempt;
    await new Promise<void>((resolve) => {
      const stop = this.#deps.clock.after(this.#deps.timing.waitMs, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      void attempt.then(() => {
        stop();
        resolve();
      });
    });
    return this.#usable();
  }

  async #connect(): Promise<void> {
    const generation = ++this.#generation;
    this.#enter('connecting', this.error);
    try {
      const link = await this.#open(generation);
      if (this.#closing.signal.aborted || generation !== this.#generation) return this.#release(link);
      this.#link = link;
      const listed = await this.#list(link);
      if (generation !== this.#generation) return;
      if (!listed.ok) return this.#wentDown(generation, listed.error.message);
      this.#enter('ready', undefined);
      this.#listText = undefined;
      this.#take(listed.value);
      this.#scheduleRefresh();
    } catch (error) {
      this.#wentDown(generation, error instanceof Error ? error.message : String(error));
    }
  }

  async #open(generation: number): Promise<Link> {
    const events: LinkEvents = {
      onDown: (reason) => this.#wentDown(generation, reason),
      onToolsChanged: () => this.#refreshSoon(),
    };
    if ('url' in this.#config) return openHttpLink(this.#config, this.#deps, this.#openOptions(this.#mode), events);
    try {
      return await openStdioLink(this.#config, this.#deps, this.#openOptions(this.#mode), events);
    } catch (error) {
      if (!(error instanceof ProbeDeath)) throw error;
      const link = await openStdioLink(this.#config, this.#deps, this.#openOptions('legacy'), events);
      this.#mode = 'legacy';
      return link;
    }
  }

  #openOptions(mode: 'auto' | 'legacy'): OpenOptions {
    const { connectMs, probeMs } = this.#deps.timing;
    // Silence over HTTP is an outage and says nothing about the era.
    return { mode, connectMs, probeMs: 'url' in this.#config ? connectMs : probeMs, signal: this.#closing.signal };
  }

  #list(link: Link): ReturnType<typeof listTools> {
    return listTools(link, (on, method, params, headers) =>
      withLimits(this.#deps.clock, { idleMs: this.#deps.timing.connectMs }, (signal) =>
        on.exchange({ id: this.#nextId++, method, params, headers }, signal),
      ),
    );
  }

  #refreshSoon(): void {
    this.#refresh().catch((error: unknown) =>
      this.#deps.log.error({ server: this.#deps.server, error }, 'upstream tools could not be taken in'),
    );
  }

  /** Reads the list again; a request while that goes on makes it happen once more. */
  async #refresh(): Promise<void> {
    const link = this.#usable();
    if (link === undefined) return;
    if (this.#isListing) {
      this.#isStale = true;
      return;
    }
    this.#isListing = true;
    const listed = await this.#list(link);
    this.#isListing = false;
    if (this.#link !== link) return;
    if (listed.ok) this.#take(listed.value);
    else if (listed.error.isSessionLost === true) return this.#renew(link);
    else this.#deps.log.warn({ server: this.#deps.server, problem: listed.error.message }, 'upstream tools could not be listed again');
    const isStale = this.#isStale;
    this.#isStale = false;
    if (isStale) return this.#refresh();
    this.#scheduleRefresh();
  }

  #take({ tools, text }: Listing): void {
    if (this.#listText?.equals(text) === true) return;
    this.#listText = text;
    this.offered = tools;
    this.#deps.onOffer();
  }

  /** Opens a new session at once: the server is there, it only forgot us. */
  #renew(link: Link): void {
    if (this.#link !== link || this.#closing.signal.aborted) return;
    this.#drop();
    this.#attempt = this.#connect();
  }

  #wentDown(generation: number, reason: string): void {
    if (generation !== this.#generation || this.#closing.signal.aborted) return;
    const { clock, log, server } = this.#deps;
    this.#failures = this.state === 'ready' && clock.now() - this.since >= STABLE_MS ? 1 : this.#failures + 1;
    const retryMs = backoffMs(this.#failures, clock.random());
    // People read it in a terminal, and much of it may be the server's own words.
    const shown = visible(reason, 500);
    log.warn({ server, reason: shown, retryMs }, 'upstream is down');
    this.#drop();
    this.#enter('down', shown);
    this.#setTimer(retryMs, () => {
      this.#attempt = this.#connect();
    });
  }

  #drop(): void {
    this.#generation++;
    const link = this.#link;
    this.#link = undefined;
    if (link !== undefined) this.#release(link);
  }

  #release(link: Link): void {
    const farewell = link.close().finally(() => this.#farewells.delete(farewell));
    this.#farewells.add(farewell);
  }

  #scheduleRefresh(): void {
    this.#setTimer(this.#deps.timing.refreshMs, () => this.#refreshSoon());
  }

  #setTimer(ms: number, task: () => void): void {
    this.#cancelTimer();
    if (!this.#closing.signal.aborted) this.#cancelTimer = this.#deps.clock.after(ms, task);
  }

  #enter(state: State, error: string | undefined): void {
    if (state !== this.state) {
      this.since = this.#deps.clock.now();
      if (state === 'ready') this.#deps.log.info({ server: this.#deps.server }, 'upstream is ready');
    }
    this.state = state;
    this.error = error;
  }
}

const known = new WeakMap<JsonObject, readonly ParamHeader[]>();

function paramHeaders({ inputSchema }: PinnedTool): readonly ParamHeader[] {
  let headers = known.get(inputSchema);
  if (headers === undefined) {
    const found = paramHeadersOf(inputSchema);
    headers = 'fault' in found ? [] : found.headers;
    known.set(inputSchema, headers);
  }
  return headers;
}
