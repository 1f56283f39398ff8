/** Runs: which piece of work a call belongs to, from the server's own rows. */
import { appendAudit, type CallRecord, lastCalls, mintId, openRun, type Queryable } from '@countersign/store';
import { callerActor } from './actor.ts';
import type { Freshness } from './authority.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName, type Work } from './judge.ts';

const KEPT = 10_000;
const known = new WeakMap<EngineDeps, Map<string, Work>>();

/**
 * The work that a caller's request belongs to: the consult's run that its token named, else the run of this origin (a session, or the agent's
 * own standing run), opened when there is none. `cached` may be a run that has ended since: only for writes that commit under an open run.
 */
export async function workOf(deps: EngineDeps, caller: Caller, origin: string, freshness: Freshness = 'cached'): Promise<Work> {
  if (caller.run) return caller.run.work;
  const runs = known.get(deps) ?? new Map<string, Work>();
  known.set(deps, runs);
  const key = `${actingName(caller)} ${origin}`;
  const kept = freshness === 'cached' ? runs.get(key) : undefined;
  if (kept) return kept;
  const work = await openRootRun(deps, caller, key);
  if (runs.size >= KEPT) runs.delete(runs.keys().next().value ?? '');
  runs.set(key, work);
  return work;
}

async function openRootRun(deps: EngineDeps, caller: Caller, origin: string): Promise<Work> {
  const at = deps.now();
  const fresh = { id: mintId('run'), agent: actingName(caller), principal: caller.principal?.name ?? '', parent: null, task: null };
  const run = await deps.store.transact(async (tx) => {
    const opened = await openRun(tx, { ...fresh, origin, at });
    if (opened.isNew) {
      const { agent, principal, id } = opened.run;
      await appendAudit(tx, [{ type: 'run.opened', at, actor: callerActor(caller), agent, principal, run: id, payload: { origin } }]);
    }
    return opened.run;
  });
  const hop = { run: run.id, agent: run.agent, principal: run.principal, question: run.task };
  return { run: run.id, chain: [hop], task: run.task, expiresAt: run.expiresAt };
}

const SHOWN_CALLS = 5;
/** Of each run above: enough to see what led to the question, little enough that a deep chain stays readable. */
const SHOWN_ABOVE = 2;
const SHOWN_CHARACTERS = 4000;
const SHOWN_CHARACTERS_ABOVE = 1000;

/**
 * What the server saw itself, for the card: the root's task, the question that started this run, its last calls and what they returned, and
 * the last ones of each run above it. Sizes are capped, and what was cut says so.
 */
export async function seenContext(db: Queryable, work: Work): Promise<Record<string, unknown>> {
  const own = await lastCalls(db, [work.run], SHOWN_CALLS);
  const hops = work.chain.slice(0, -1);
  if (hops.length === 0) return { task: work.task, lastCalls: own.map((call) => shown(call, SHOWN_CHARACTERS)) };
  const others = await lastCalls(
    db,
    hops.map((hop) => hop.run),
    SHOWN_ABOVE,
  );
  return {
    task: work.task,
    question: work.chain.at(-1)?.question ?? null,
    lastCalls: own.map((call) => shown(call, SHOWN_CHARACTERS)),
    above: hops.map(({ run, agent, principal }) => ({
      run,
      agent,
      principal,
      lastCalls: others.filter((call) => call.run === run).map((call) => shown(call, SHOWN_CHARACTERS_ABOVE)),
    })),
  };
}

const shown = (call: CallRecord, characters: number) => ({
  id: call.id,
  tool: call.tool,
  arguments: capped(call.effectiveArgs ?? call.args, characters),
  state: call.life.state,
  result: call.result === null ? null : capped(call.result, characters),
  at: call.createdAt,
});

const capped = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters)}… (${text.length - characters} more characters)`;
