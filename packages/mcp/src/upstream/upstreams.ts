import { type Digest, OWN_TOOL_SCOPE, type ServerConfig } from '@countersign/contracts';
import type { JsonObject, PinnedTool, ToolChange, UpstreamStatus, Upstreams } from '@countersign/engine';
import { type RefusedTool, registerTools, type Toolbox } from '../toolbox.ts';
import { type Clock, systemClock } from './clock.ts';
import { type CallOptions, type CallOutcome, Connection, type Timing } from './connection.ts';
import type { Log } from './log.ts';

export type UpstreamsDeps = {
  readonly log: Log;
  /** `sha256:…` over the RFC 8785 form of a value; pins tool definitions. */
  readonly digest: (value: unknown) => Digest;
  /** Names that no upstream tool may take or resemble; by default those of our own tools. */
  readonly reserved?: readonly string[];
  readonly clock?: Clock;
  readonly timing?: Partial<Timing & { readonly startMs: number }>;
};

/** `startMs`: the longest that the start of the host waits for slow upstreams. They keep connecting after it. */
const TIMING = { startMs: 3000, probeMs: 3000, connectMs: 30_000, waitMs: 5000, refreshMs: 60_000 };
const SERVER_KEY = /^[a-z0-9-]{1,20}$/;

/**
 * The upstream servers of the config: one connection each, and the toolbox of what they all offer. Reading never waits. A tool stays listed
 * while its server is down; a call to it then fails with `upstream.down` and `sent: false`. Nothing starts before `start()`.
 * @throws on a server key that is no key: the config schema refuses those before.
 */
export function createUpstreams(
  servers: Readonly<Record<string, ServerConfig>>,
  deps: UpstreamsDeps,
): Upstreams & {
  /** As the port, and `resume` for the next round of a call that the upstream answered with `input_required`. */
  call(key: string, args: JsonObject, options: CallOptions): Promise<CallOutcome>;
} {
  const { log, digest, clock = systemClock, reserved = Object.keys(OWN_TOOL_SCOPE) } = deps;
  const timing = { ...TIMING, ...deps.timing };
  const listeners = new Set<(change: ToolChange) => void>();
  let toolbox: Toolbox = { tools: [], refused: [] };
  let byKey: ReadonlyMap<string, PinnedTool> = new Map();

  const connections = new Map<string, Connection>();
  for (const [server, config] of Object.entries(servers)) {
    if (!SERVER_KEY.test(server)) throw new Error(`The server key ${server} is not 1 to 20 of a-z, 0-9 and -.`);
    connections.set(server, new Connection(config, { server, log, clock, timing, onOffer: register, pinned: (key) => byKey.get(key) }));
  }

  function register(): void {
    const offers = [...connections].map(([server, { offered }]) => ({
      server,
      launch: launchOf(servers[server] as ServerConfig),
      offered,
    }));
    const before = { toolbox, byKey };
    toolbox = registerTools(offers, { reserved, digest });
    byKey = new Map(toolbox.tools.map((tool) => [tool.key, tool]));
    logRefusals(log, before.toolbox, toolbox);
    const change = changeBetween(before.byKey, byKey);
    if (change !== undefined) tell(log, listeners, change);
  }

  return {
    tools: () => toolbox.tools,
    tool: (key) => byKey.get(key),
    status: () => [...connections].map(([server, connection]) => statusOf(server, connection, toolbox)),
    call: async (key, args, options) => {
      const tool = byKey.get(key);
      const connection = tool && connections.get(tool.server);
      if (connection === undefined) return { ok: false, error: { sent: false, code: 'upstream.down', message: 'There is no such tool.' } };
      return connection.call(tool as PinnedTool, args, options);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () =>
      new Promise((resolve) => {
        const stop = clock.after(timing.startMs, resolve);
        void Promise.all([...connections.values()].map((connection) => connection.start())).then(() => {
          stop();
          resolve();
        });
      }),
    close: async () => {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

/** How the host starts or reaches a server: what a pin covers besides the definition. Names of variables and headers, not their secret values. */
function launchOf(config: ServerConfig): JsonObject {
  if ('url' in config) return { url: config.url, headers: Object.keys(config.headers).sort() };
  const { command, args, cwd = null, env } = config;
  return { command, args, cwd, env: Object.keys(env).sort() };
}

function statusOf(server: string, { state, since, error }: Connection, { tools, refused }: Toolbox): UpstreamStatus {
  return {
    server,
    state,
    since: new Date(since).toISOString(),
    ...(error === undefined ? {} : { error }),
    tools: tools.filter((tool) => tool.server === server).length,
    refused: refused.filter((tool) => tool.server === server).map(({ name, reason }) => ({ name, reason })),
  };
}

function tell(log: Log, listeners: Iterable<(change: ToolChange) => void>, change: ToolChange): void {
  for (const listener of listeners) {
    try {
      listener(change);
    } catch (error) {
      log.error({ error }, 'a listener for changed tools failed');
    }
  }
}

function logRefusals(log: Log, before: Toolbox, after: Toolbox): void {
  const known = new Set(before.refused.map(refusalText));
  for (const refusal of after.refused) {
    if (!known.has(refusalText(refusal)))
      log.warn({ server: refusal.server, tool: refusal.name, reason: refusal.reason }, 'upstream tool refused');
  }
}

function refusalText({ server, name, reason }: RefusedTool): string {
  return JSON.stringify([server, name, reason]);
}

function changeBetween(before: ReadonlyMap<string, PinnedTool>, after: ReadonlyMap<string, PinnedTool>): ToolChange | undefined {
  const added: PinnedTool[] = [];
  const changed: { before: PinnedTool; after: PinnedTool }[] = [];
  for (const [key, tool] of after) {
    const was = before.get(key);
    if (was === undefined) added.push(tool);
    else if (was.digest !== tool.digest) changed.push({ before: was, after: tool });
  }
  const removed = [...before.values()].filter(({ key }) => !after.has(key));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, changed, removed };
}
