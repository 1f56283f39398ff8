/** The engine on a real database in memory, with scripted upstreams and a clock that tests move. */
import {
  type AnswerInput,
  type Config,
  Config as ConfigSchema,
  type Decision,
  type RuleConfig,
  RuleConfig as RuleSchema,
  type Term,
} from '@countersign/contracts';
import { compileRules } from '@countersign/core';
import {
  answerDecision,
  type CallEnd,
  type Caller,
  callTool,
  createAuthority,
  digestOf,
  dispatchCall,
  type EngineDeps,
  type JsonObject,
  listDecisions,
  reconcile,
  relayOutbox,
  seedFromConfig,
  syncTools,
  TOPIC,
} from '@countersign/engine';
import { type JobQueue, memorySignals } from '@countersign/queue';
import { type EmbeddedStore, openEmbeddedStore, queryAudit, truncateAll } from '@countersign/store';
import { type ScriptedUpstreams, scriptedUpstreams } from './scripted-upstreams.ts';

export type TestHost = {
  readonly deps: EngineDeps;
  readonly upstreams: ScriptedUpstreams;
  readonly jobs: readonly { readonly name: string; readonly id: string; readonly delayMs?: number }[];
  /** Resolves an agent or a principal anew, as a request of it would. */
  caller(name: string): Promise<Caller>;
  call(agent: string, tool: string, args: JsonObject, options?: CallOptions): Promise<CallEnd>;
  /** The same call, left to wait; resolves once it is held. */
  held(agent: string, tool: string, args: JsonObject): Promise<{ readonly id: string; readonly end: Promise<CallEnd> }>;
  decisions(principal: string, state?: Decision['state']): Promise<readonly Decision[]>;
  answer(principal: string, id: string, answer: Partial<AnswerInput>): ReturnType<typeof answerDecision>;
  /** Dispatches whatever was queued since the last time. */
  work(): Promise<void>;
  relay(): Promise<number>;
  reconcile(startedBefore?: string): Promise<void>;
  setRules(rules: readonly LooseRule[]): void;
  events(): Promise<readonly string[]>;
  /** Moves the clock; milliseconds. */
  pass(ms: number): void;
  close(): Promise<void>;
};

export type LooseRule = Partial<RuleConfig> | Record<string, unknown>;
export type CallOptions = {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly origin?: string;
  readonly onHeld?: () => void;
};
export type TestHostOptions = {
  readonly tools?: Readonly<Record<string, JsonObject>>;
  readonly rules?: readonly LooseRule[];
  readonly terms?: readonly Term[];
  readonly config?: Partial<Config>;
  /** Reuse a database that is open already; it is emptied first. */
  readonly on?: EmbeddedStore;
};

const EVERYTHING: readonly Term[] = [{ tool: '*', when: 'anything' }];
const SCOPES = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'] as const;

/** A host with the principals ada and ben, ada's agents researcher (member) and newcomer (probation), and ben's agent treasurer (member). */
export async function aHost(options: TestHostOptions = {}): Promise<TestHost> {
  const opened = options.on ?? (await openEmbeddedStore('memory://'));
  const { store } = opened;
  if (options.on) await truncateAll(store.db);
  let time = Date.parse('2026-11-30T12:00:00.000Z');
  const now = (): string => new Date(time).toISOString();
  const mandate = { scopes: [...SCOPES], terms: [...(options.terms ?? EVERYTHING)] };
  const config = ConfigSchema.parse({
    principals: { ada: { name: 'Ada Marsh', mandate }, ben: { name: 'Ben Ortiz', mandate } },
    agents: {
      researcher: { principal: 'ada', status: 'member', description: 'Finds things out' },
      newcomer: { principal: 'ada', status: 'probation' },
      treasurer: { principal: 'ben', status: 'member' },
    },
    ...options.config,
  });
  const compile = (rules: readonly LooseRule[]) => {
    const compiled = compileRules(
      rules.map((rule, index) => RuleSchema.parse({ id: `rule-${index}`, when: 'always', reason: 'It matters.', ...rule })),
      { digest: digestOf },
    );
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
    return compiled.value;
  };
  let rules = compile(options.rules ?? []);
  const upstreams = scriptedUpstreams(
    options.tools ?? { jar__cookie_jar: {}, jar__smash_jar: {}, files__write_file: {}, ledger__send_money: {} },
  );
  const signals = memorySignals();
  const jobs: { name: string; id: string; delayMs?: number }[] = [];
  const queue: JobQueue = {
    enqueue: async (job) => void jobs.push(job),
    work: async () => ({ close: async () => undefined }),
    close: async () => undefined,
  };
  const deps: EngineDeps = {
    store,
    signals,
    upstreams,
    authority: createAuthority({ store, now, hold: () => config.hold }),
    rules: () => rules,
    config: () => ({ hold: config.hold, limits: config.limits, tools: config.tools, publicUrl: 'http://127.0.0.1:7420' }),
    now,
    instance: 'test',
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  await seedFromConfig(deps, config);
  await syncTools(deps);
  const toDispatch: string[] = [];
  signals.subscribe(TOPIC.dispatch, (id) => toDispatch.push(id));
  const host: TestHost = {
    deps,
    upstreams,
    jobs,
    async caller(name) {
      const caller = await deps.authority.ofAgent(name);
      if (!caller) throw new Error(`There is no ${name}, or it is suspended.`);
      return caller;
    },
    async call(agent, tool, args, { waitMs = 0, signal = new AbortController().signal, origin = 'standing', onHeld } = {}) {
      const caller = await host.caller(agent);
      return await callTool(
        deps,
        { ...caller, hold: { waitMs, waitWithProgressMs: waitMs } },
        {
          tool,
          args,
          claimed: null,
          origin,
          hasProgress: false,
          signal,
          ...(onHeld && { onHeld }),
        },
      );
    },
    async held(agent, tool, args) {
      const before = new Set((await host.decisions(ownerOf(agent))).map((decision) => decision.id));
      let tell: () => void = () => undefined;
      const isHeld = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const end = host.call(agent, tool, args, { waitMs: 60_000, onHeld: () => tell() });
      await Promise.race([isHeld, end]);
      const fresh = (await host.decisions(ownerOf(agent))).find((decision) => !before.has(decision.id));
      if (!fresh) throw new Error(`The call was not held: ${JSON.stringify(await end)}`);
      return { id: fresh.id, end };
    },
    async decisions(principal, state) {
      const listed = await listDecisions(deps, await host.caller(principal), { limit: 200, sort: 'age', ...(state && { state: [state] }) });
      return listed.ok ? listed.value.items : [];
    },
    async answer(principal, id, answer) {
      const caller = await host.caller(principal);
      const current = (await host.decisions(principal)).find((decision) => decision.id === id);
      const shown = {
        version: current?.version ?? 1,
        shownDigest: current?.shownDigest ?? `sha256:${'0'.repeat(64)}`,
        effect: 'approve' as const,
      };
      return await answerDecision(deps, caller, id, { ...shown, ...answer });
    },
    async work() {
      for (const id of toDispatch.splice(0)) await dispatchCall(deps, id);
    },
    relay: () => relayOutbox(deps, queue),
    reconcile: (startedBefore = '1970-01-01T00:00:00.000Z') => reconcile(deps, queue, startedBefore),
    setRules: (next) => {
      rules = compile(next);
    },
    async events() {
      const { items } = await queryAudit(store.db, 'all', { limit: 200, order: 'oldest' });
      return items.map((event) => event.type);
    },
    pass: (ms) => {
      time += ms;
    },
    close: async () => {
      await signals.close();
      if (!options.on) await store.close();
    },
  };
  return host;

  function ownerOf(agent: string): string {
    return config.agents[agent]?.principal ?? agent;
  }
}
