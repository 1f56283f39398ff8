/** Puts the embedded profile together: config, database, queue, engine, upstreams and the agents' endpoint. Starts no server and no worker. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type Config,
  type Failure,
  fail,
  ok,
  type Readiness,
  type ReloadReport,
  type Result,
  type ServerConfig,
} from '@countersign/contracts';
import { actorOf, createAuthority, type Doer, digestOf, type EngineDeps, seedFromConfig, syncTools, TOPIC } from '@countersign/engine';
import { type AgentEndpoint, createAgentEndpoint, createUpstreams } from '@countersign/mcp';
import { type JobQueue, memorySignals, openPgliteQueue } from '@countersign/queue';
import { appendAudit, bumpAuthority, countCalls, openEmbeddedStore } from '@countersign/store';
import type { Logger } from 'pino';
import { bindEndpoint } from './bind-endpoint.ts';
import { bindOperations, type Operations } from './bind-operations.ts';
import { type ConfigInForce, needsRestart, readConfig } from './current-config.ts';
import { operatorSecret } from './operator-secret.ts';

export type HostOptions = {
  readonly configPath: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly version: string;
  readonly onFirstStart?: () => void;
};

/** The product in one process, as server and worker use it. */
export type Host = {
  readonly deps: EngineDeps;
  readonly operations: Operations;
  readonly endpoint: AgentEndpoint;
  readonly queue: JobQueue;
  readonly log: Logger;
  readonly dataDir: string;
  readonly operatorSecret: string;
  /** When this process started: allowed calls that began before it and still run belong to one that is gone. */
  readonly startedAt: string;
  config(): Config;
  /** Where this host is reached; known once the server listens on its port. */
  announceUrl(url: string): void;
  /** Reads the config file again: all of it, or nothing. */
  reload(doer: Doer): Promise<Result<ReloadReport, 'config.invalid'>>;
  /** Ends in order: endpoint, upstreams, queue, database. What is held stays in the tables. */
  close(): Promise<void>;
};

/**
 * Opens a data directory with a config.
 * @returns `config.invalid` with every problem in `detail.problems`, or `data.locked` when another process uses the directory.
 */
export async function openHost(options: HostOptions): Promise<Result<Host, 'config.invalid' | 'data.locked'>> {
  const { log, env } = options;
  const dataDir = resolve(options.dataDir);
  const first = readConfig(options.configPath, { env, dataDir });
  if (!first.ok) return first;
  let inForce: ConfigInForce = first.value;
  const config = () => inForce.loaded.config;

  const opened = await openStoreIn(dataDir, options);
  if (!opened.ok) return opened;
  const { store, pglite } = opened.value;
  const queue = await openPgliteQueue(pglite, log);
  const signals = memorySignals();
  const upstreams = createUpstreams(launches(inForce), { log, digest: digestOf });
  let url = config().server.public_url ?? `http://${config().server.host}:${config().server.port}`;
  const now = () => new Date().toISOString();

  const deps: EngineDeps = {
    store,
    signals,
    upstreams,
    authority: createAuthority({ store, now, hold: () => config().hold }),
    rules: () => inForce.rules,
    config: () => ({ hold: config().hold, limits: config().limits, tools: config().tools, publicUrl: url }),
    now,
    instance: randomUUID(),
    log,
  };
  const endpoint = createAgentEndpoint(bindEndpoint(deps, options.version));

  async function reload(doer: Doer): Promise<Result<ReloadReport, 'config.invalid'>> {
    const next = readConfig(options.configPath, { env, dataDir });
    if (!next.ok) return next;
    const warnings = [...needsRestart(config(), next.value.loaded.config), ...next.value.loaded.warnings.map((warning) => warning.message)];
    const { digest, rules } = next.value.rules;
    const payload = { digest, rules: rules.length, before: inForce.rules.digest };
    // What is being judged by the rules of before commits no more: it is judged again, by these.
    await store.transact(async (tx) => {
      await bumpAuthority(tx);
      await appendAudit(tx, [{ type: 'rules.loaded', at: now(), actor: actorOf(doer), payload }]);
    });
    inForce = next.value;
    deps.authority.forget();
    signals.publish(TOPIC.authority, '');
    signals.publish(TOPIC.changes, JSON.stringify({ type: 'rules', id: digest, seenBy: [] }));
    return ok({ digest, rules: rules.length, warnings });
  }

  const secret = operatorSecret(dataDir, env.COUNTERSIGN_OPERATOR_SECRET);
  const operations = bindOperations({ deps, operatorSecret: secret, config, reload, readiness: () => readiness(deps) });
  const startedAt = now();
  await seedFromConfig(deps, config());
  await appendAudit(store.db, [
    {
      type: 'host.started',
      at: startedAt,
      actor: { kind: 'host', name: 'start' },
      payload: { version: options.version, rules: inForce.rules.digest, instance: deps.instance },
    },
  ]);
  const stopFollowing = followChanges(deps, endpoint);
  await upstreams.start();
  await syncTools(deps);

  return ok({
    deps,
    operations,
    endpoint,
    queue,
    log,
    dataDir,
    operatorSecret: secret,
    startedAt,
    config,
    announceUrl: (actual) => {
      url = config().server.public_url ?? actual;
    },
    reload,
    close: async () => {
      stopFollowing();
      await endpoint.close();
      await upstreams.close();
      await appendAudit(store.db, [
        { type: 'host.stopped', at: now(), actor: { kind: 'host', name: 'start' }, payload: { instance: deps.instance } },
      ]);
      await queue.close();
      await signals.close();
      await store.close();
    },
  });
}

async function openStoreIn(dataDir: string, options: HostOptions) {
  try {
    return ok(
      await openEmbeddedStore(dataDir, {
        ...(options.onFirstStart && { onFirstStart: options.onFirstStart }),
        onUpkeepFailed: (error) => options.log.warn({ err: error }, 'Upkeep of the database failed; it is tried again'),
      }),
    );
  } catch (error) {
    const { code, message } = error as Partial<Failure>;
    if (code === 'data.locked') return fail('data.locked', message ?? `${dataDir} is in use.`);
    throw error;
  }
}

/** The servers' launch settings with the config's folder as the place where child processes start. */
function launches({ loaded }: ConfigInForce): Record<string, ServerConfig> {
  return Object.fromEntries(
    Object.entries(loaded.config.servers).map(([key, server]) => [
      key,
      'command' in server ? { ...server, cwd: resolve(loaded.baseDir, server.cwd ?? '.') } : server,
    ]),
  );
}

/** Keeps the tools' rows and the agents' lists in step with what changes. One sync at a time; a change during one starts another. */
function followChanges(deps: EngineDeps, endpoint: AgentEndpoint): () => void {
  let last = Promise.resolve();
  const stopTools = deps.upstreams.onChange(() => {
    last = last
      .then(() => syncTools(deps))
      .catch((error: unknown) => deps.log.error({ err: error }, 'The tools of an upstream could not be registered'))
      .then(() => endpoint.toolsChanged());
  });
  const stopChanges = deps.signals.subscribe(TOPIC.authority, () => endpoint.toolsChanged());
  return () => {
    stopTools();
    stopChanges();
  };
}

/** The truth about each part, asked now: a server without its database must say so. */
async function readiness(deps: EngineDeps): Promise<Readiness> {
  const database = await countCalls(deps.store.db, ['executing']).then(
    () => true,
    () => false,
  );
  const upstreams = deps.upstreams.status().map(({ server, state }) => ({ name: `upstream ${server}`, ok: state === 'ready' }));
  return { ready: database, checks: [{ name: 'database', ok: database }, ...upstreams] };
}
