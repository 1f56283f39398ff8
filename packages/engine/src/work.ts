/** Runs: which piece of work a call belongs to, from the server's own rows. */
import type { Hop } from '@countersign/contracts';
import { lastCalls, mintId, openRun, type Queryable } from '@countersign/store';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName, type Work } from './judge.ts';

const KEPT = 10_000;
const known = new WeakMap<EngineDeps, Map<string, Work>>();

/** The run of this origin (a session, or the agent's own standing run), opened when it is new. */
export async function workOf(deps: EngineDeps, caller: Caller, origin: string): Promise<Work> {
  const runs = known.get(deps) ?? new Map<string, Work>();
  known.set(deps, runs);
  const agent = actingName(caller);
  const key = `${agent} ${origin}`;
  const kept = runs.get(key);
  if (kept) return kept;
  const principal = caller.principal?.name ?? '';
  const run = await openRun(deps.store.db, { id: mintId('run'), agent, principal, parent: null, task: null, origin: key, at: deps.now() });
  const hop: Hop = { run: run.id, agent: run.agent, principal: run.principal, question: run.task };
  const work: Work = { run: run.id, chain: [hop], task: run.task };
  if (runs.size >= KEPT) runs.delete(runs.keys().next().value ?? '');
  runs.set(key, work);
  return work;
}

const SHOWN_CALLS = 5;
const SHOWN_CHARACTERS = 4000;

/** What the server saw of this run itself, for the card: the last calls and what they returned, sizes capped and said so. */
export async function seenContext(db: Queryable, work: Work): Promise<Record<string, unknown>> {
  const calls = await lastCalls(db, work.run, SHOWN_CALLS);
  return {
    task: work.task,
    lastCalls: calls.map((call) => ({
      id: call.id,
      tool: call.tool,
      arguments: capped(call.effectiveArgs ?? call.args),
      state: call.life.state,
      result: call.result === null ? null : capped(call.result),
      at: call.createdAt,
    })),
  };
}

const capped = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length - SHOWN_CHARACTERS} more characters)`;
