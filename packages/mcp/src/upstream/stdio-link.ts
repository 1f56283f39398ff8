import { once } from 'node:events';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { readChildLog } from './child-log.ts';
import { systemClock } from './clock.ts';
import { readLines } from './lines.ts';
import {
  type Exchanged,
  failed,
  type GivenUp,
  givenUp,
  type Link,
  type LinkDeps,
  type LinkEvents,
  type OpenOptions,
  type Outgoing,
} from './link.ts';
import { envelopeOf, idOfEdges, readMessage, readProgress, splitProgress } from './message.ts';
import { type Child, type StdioServer, startChild, stopGroup } from './process-group.ts';
import { openSdkSession, requestMetaOf } from './sdk-session.ts';

/** A dead child's last words may still be in the pipe; a descendant that kept the pipe must not keep us. */
const LAST_WORDS_MS = 500;
const EXIT_NEWS_MS = 100;
/** Lines that are no messages and are still logged loudly; some servers write nothing else. */
const LOUD_SKIPS = 20;
/** How much of an endless line is read before the server is given up. */
const DRAIN_BYTES = 256 * 1024 * 1024;

type Pending = { readonly request: Outgoing; readonly settle: (reply: Exchanged) => void };

/** The child closed the pipe while it was asked which era it speaks: some servers die of any question before `initialize`. */
export class ProbeDeath extends Error {}

/**
 * Starts a child process and speaks MCP with it over its pipes. Our own requests and the SDK's share the pipe, told apart by id; every line is
 * framed, bounded and scanned here, before the SDK sees it. Rejects when the child or the handshake fails; no process is left then.
 */
export async function openStdioLink(config: StdioServer, deps: LinkDeps, options: OpenOptions, events: LinkEvents): Promise<Link> {
  const child = startChild(config);
  const pipe = new Pipe(child, config, deps, events);
  const stop = () => void pipe.close();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    // No pid: the command could not be started, and the error event says why.
    if (child.pid === undefined) throw (await once(child, 'error'))[0] as Error;
    const session = await openSdkSession(pipe.transport, {
      ...deps,
      ...options,
      onToolsChanged: events.onToolsChanged,
      onProgress: (params) => pipe.progress(splitProgress(params)),
    });
    pipe.isUp = true;
    return {
      era: session.era,
      transport: 'stdio',
      requestMeta: requestMetaOf(session),
      exchange: (request, signal) => pipe.exchange(request, signal),
      close: () => pipe.close(),
    };
  } catch (error) {
    const died = child.pid === undefined ? undefined : pipe.deathReason;
    await pipe.close();
    const reason = died ?? (error instanceof Error ? error.message : String(error));
    if (options.mode === 'auto' && died !== undefined && pipe.wasProbed) throw new ProbeDeath(reason, { cause: error });
    throw new Error(reason, { cause: error });
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

/** One child's pipes, from start to death. */
class Pipe {
  readonly transport: Transport & { readonly pid: number | undefined; readonly stderr: unknown };
  isUp = false;
  wasProbed = false;
  deathReason: string | undefined;
  readonly #child: Child;
  readonly #config: StdioServer;
  readonly #deps: LinkDeps;
  readonly #events: LinkEvents;
  readonly #pending = new Map<number, Pending>();
  readonly #stderr;
  #stopped: Promise<void> | undefined;
  #skipped = 0;

  constructor(child: Child, config: StdioServer, deps: LinkDeps, events: LinkEvents) {
    this.#child = child;
    this.#config = config;
    this.#deps = deps;
    this.#events = events;
    this.#stderr = readChildLog(deps.log, deps.server, Object.values(config.env), deps.clock);
    // `pid` and `stderr` are how the SDK knows a stdio transport, to which a silent server is a legacy one.
    this.transport = {
      pid: child.pid,
      stderr: null,
      start: async () => undefined,
      send: async (message) => this.#sendForSdk(message),
      close: () => this.close(),
    };
    this.#listen();
  }

  exchange(request: Outgoing, signal: AbortSignal): Promise<Exchanged> {
    if (this.deathReason !== undefined) return Promise.resolve(failed(false, 'upstream.down', this.deathReason));
    if (signal.aborted) return Promise.resolve(givenUp(false, signal.reason as GivenUp));
    return new Promise((resolve) => {
      const { id, method, params } = request;
      const giveUp = () => {
        this.#write({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason: (signal.reason as GivenUp).message },
        });
        settle(givenUp(true, signal.reason as GivenUp));
      };
      const settle = (reply: Exchanged) => {
        this.#pending.delete(id);
        signal.removeEventListener('abort', giveUp);
        resolve(reply);
      };
      this.#pending.set(id, { request, settle });
      signal.addEventListener('abort', giveUp, { once: true });
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  }

  progress({ token, progress }: ReturnType<typeof splitProgress>): void {
    if (typeof token === 'number') this.#pending.get(token)?.request.onProgress?.(progress);
  }

  close(): Promise<void> {
    this.#die('The server was closed.', false);
    return this.#stopped ?? Promise.resolve();
  }

  #sendForSdk(message: JSONRPCMessage): void {
    if (this.deathReason !== undefined) throw new Error(this.deathReason);
    if ('method' in message && message.method === 'server/discover') this.wasProbed = true;
    if ('method' in message && message.method === 'initialize') this.wasProbed = false;
    this.#write(message);
  }

  #write(message: object): void {
    if (this.deathReason === undefined) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #listen(): void {
    const child = this.#child;
    const { max_result_bytes: maxBytes } = this.#config;
    const feed = readLines({
      maxBytes,
      drainBytes: Math.max(DRAIN_BYTES, maxBytes),
      onLine: (line) => this.#takeLine(line),
      onOverlong: (head, tail) => this.#takeOverlong(head, tail),
      onFlood: () => this.#failAll('upstream.too_large', 'The server sent a line that does not end.'),
    });
    child.stdout.on('data', feed);
    child.stderr.on('data', this.#stderr.feed);
    // A child that reads nothing more is about to exit, and that is what is reported.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.#die(`The command could not be started: ${error.message}`));
    // An exit closes the output too, and says more.
    child.stdout.on('close', () => systemClock.after(EXIT_NEWS_MS, () => this.#die('The server closed its output.')));
    child.on('exit', (code, signal) => {
      const reason = `The server exited ${signal === null ? `with code ${code}` : `by ${signal}`}.`;
      const die = () => this.#die(`${reason}${this.isUp ? '' : ` It wrote: ${this.#stderr.lastLines() || 'nothing'}`}`);
      if (child.stdout.closed) return die();
      child.stdout.once('close', die);
      systemClock.after(LAST_WORDS_MS, die);
    });
  }

  #takeLine(line: Buffer): void {
    const envelope = envelopeOf(line);
    const pending = envelope?.isReply === true && typeof envelope.id === 'number' ? this.#pending.get(envelope.id) : undefined;
    if (pending !== undefined) {
      pending.settle({ ok: true, value: line });
      return;
    }
    const read = envelope === undefined ? { problem: 'The line is not a message.' } : readMessage(line, this.#config.max_result_bytes);
    if ('problem' in read) {
      const level = this.#skipped++ < LOUD_SKIPS ? 'warn' : 'debug';
      this.#deps.log[level]({ server: this.#deps.server, bytes: line.length, problem: read.problem }, 'upstream line skipped');
      return;
    }
    const noted = readProgress(read.message);
    if (noted !== undefined) this.progress(noted);
    else this.#handToSdk(read.message as JSONRPCMessage);
  }

  /** Nothing that a server says may end this process, whatever the SDK makes of it. */
  #handToSdk(message: JSONRPCMessage): void {
    try {
      this.transport.onmessage?.(message);
    } catch (error) {
      this.#deps.log.debug({ server: this.#deps.server, error }, 'upstream message was not understood');
    }
  }

  #takeOverlong(head: Buffer, tail: Buffer): void {
    const id = idOfEdges(head, tail);
    const message = `The reply is longer than ${this.#config.max_result_bytes} bytes.`;
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (pending !== undefined) pending.settle(failed(true, 'upstream.too_large', message));
    // Whose it was can't be told, so nobody can be left waiting for it.
    else if (id === undefined) this.#failAll('upstream.too_large', message);
  }

  #failAll(code: 'upstream.too_large', message: string): void {
    for (const { settle } of [...this.#pending.values()]) settle(failed(true, code, message));
    this.#die(message);
  }

  /** The first reason counts. Whatever was sent may have been done. */
  #die(reason: string, byItself = true): void {
    if (this.deathReason !== undefined) return;
    this.deathReason = reason;
    this.#child.stdin.end();
    const { pid } = this.#child;
    this.#stopped = pid === undefined ? undefined : stopGroup(pid);
    for (const { settle } of [...this.#pending.values()]) settle(failed(true, 'upstream.down', reason));
    this.transport.onclose?.();
    if (byItself && this.isUp) this.#events.onDown(reason);
  }
}
