import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '@countersign/engine';
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { instructionsFor } from './instructions.ts';
import type { RequestId } from './rpc.ts';
import type { Shared } from './shared.ts';

/** One session of the 2025 revisions: a Server object of its own, bound to the credential that opened it. */
export type Session = {
  readonly id: string;
  readonly owner: string;
  readonly secret: string | null;
  /** Names the session's work in the record; the id itself would let its reader speak in the session. */
  readonly origin: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Calls under way; `over` resolves when one has its answer, or when its client wants none any more. */
  readonly calls: Set<{ readonly id: RequestId; readonly cancel: () => void; readonly over: Promise<void> }>;
  lastUsedAt: number;
  openStreams: number;
  /** Of the list that its client knows. */
  fingerprint: string;
};

export type Sessions = {
  /** A session that counts once its `initialize` was accepted; undefined where there is no room. */
  readonly open: (caller: Caller, secret: string | null) => Promise<Session | undefined>;
  /** The caller's own session; a foreign id is not told from an unknown one. */
  readonly find: (id: string, caller: Caller) => Session | undefined;
  readonly all: () => readonly Session[];
  /** Cancels its calls: the client left. */
  readonly end: (session: Session) => Promise<void>;
  /** Ends all of them when their calls have their answers: a server that stops is no client that left. */
  readonly close: () => Promise<void>;
};

/** What a session or a stream is bound to. Other credentials of the same agent may carry less. */
export const ownerOf = (caller: Caller): string => caller.credential?.id ?? 'anonymous';

export function createSessions(shared: Shared): Sessions {
  const { limits, timing, deps } = shared;
  const sessions = new Map<string, Session>();

  const isBusy = (session: Session) => session.calls.size > 0 || session.openStreams > 0;

  async function end(session: Session): Promise<void> {
    sessions.delete(session.id);
    for (const call of session.calls) call.cancel();
    await session.server.close();
  }

  function endIdle(): void {
    const before = deps.now() - timing.sessionIdle;
    for (const session of sessions.values()) if (session.lastUsedAt < before && !isBusy(session)) void end(session);
  }

  /** Closes the one unused for longest where the owner, or the endpoint, has no room for another. False when all are busy. */
  function makeRoom(owner: string): boolean {
    const own = [...sessions.values()].filter((session) => session.owner === owner);
    if (own.length < limits.sessionsPerCredential && sessions.size < limits.sessions) return true;
    const idle = own.filter((session) => !isBusy(session)).sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0];
    if (idle) void end(idle);
    return idle !== undefined;
  }

  const sweep = setInterval(endIdle, Math.min(60_000, timing.sessionIdle));
  sweep.unref();

  return {
    async open(caller, secret) {
      endIdle();
      const owner = ownerOf(caller);
      if (!makeRoom(owner)) return undefined;
      const session = createSession(shared, caller, secret, owner, {
        onInitialized: () => sessions.set(session.id, session),
        onClosed: () => end(session),
      });
      await session.server.connect(session.transport);
      return session;
    },
    find(id, caller) {
      const session = sessions.get(id);
      if (!session || session.owner !== ownerOf(caller)) return undefined;
      session.lastUsedAt = deps.now();
      return session;
    },
    all: () => [...sessions.values()],
    end,
    async close() {
      clearInterval(sweep);
      await Promise.all(
        [...sessions.values()].map(async (session) => {
          await Promise.all([...session.calls].map(({ over }) => over));
          await end(session);
        }),
      );
    },
  };
}

function createSession(
  { deps, info, timing, lists }: Shared,
  caller: Caller,
  secret: string | null,
  owner: string,
  events: { readonly onInitialized: () => void; readonly onClosed: () => Promise<void> },
): Session {
  const id = randomBytes(24).toString('base64url');
  const server = new Server(info, { capabilities: { tools: { listChanged: true } }, instructions: instructionsFor(caller) });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessioninitialized: events.onInitialized,
    onsessionclosed: events.onClosed,
    enableJsonResponse: true,
    keepAliveMs: timing.keepalive,
  });
  server.onerror = (error) => deps.log.debug({ err: error }, 'a session of the 2025 revisions reported an error');
  return {
    id,
    owner,
    secret,
    origin: `session:${createHash('sha256').update(id).digest('base64url').slice(0, 22)}`,
    server,
    transport,
    calls: new Set(),
    lastUsedAt: deps.now(),
    openStreams: 0,
    fingerprint: lists(caller).fingerprint,
  };
}
