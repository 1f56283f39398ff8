/**
 * Ending a run before it is done. Everything below ends with it: its consults are withdrawn, its open decisions are withdrawn, which is not a
 * "no", and what was approved and not sent is not sent. Answers that were given stay as they are.
 */
import { type Actor, type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import { decideConsult } from '@countersign/core';
import {
  appendAudit,
  applyConsult,
  type ConsultRecord,
  endRuns,
  findConsult,
  findRun,
  lockCall,
  lockConsultsOfRuns,
  lockTree,
  openCallsOf,
  pendingInRuns,
  type Transaction,
} from '@countersign/store';
import { actorOf, callerActor, type Doer } from './actor.ts';
import { announceSettled } from './after-settling.ts';
import { TOPIC } from './announce.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName } from './judge.ts';
import { refuseCall, type Settled, withdrawOpen } from './settle-call.ts';

/** What everybody must hear once a cancelling is committed. */
export type Cancelled = { readonly consults: readonly ConsultRecord[]; readonly settled: readonly Settled[] };

/** Cancels a run and all below it, in the caller's transaction. A run that ended before keeps its end; what it left open is withdrawn. */
export async function cancelTree(
  tx: Transaction,
  runId: string,
  by: { readonly actor: Actor; readonly reason: string },
  now: string,
): Promise<Cancelled> {
  const runs = await lockTree(tx, runId);
  const consults: ConsultRecord[] = [];
  for (const consult of await lockConsultsOfRuns(tx, runs)) {
    const command = { type: 'withdraw', by: by.actor.name, reason: by.reason } as const;
    const withdrawn = decideConsult(consult.state, command, { now, counted: now });
    if (!withdrawn.ok || !(await applyConsult(tx, consult.id, withdrawn.value.from, withdrawn.value.next))) continue;
    const payload = { consult: consult.id, agent: consult.agent, reason: by.reason };
    await appendAudit(tx, [{ type: withdrawn.value.event, at: now, actor: by.actor, ...aboutAsker(consult), payload }]);
    consults.push({ ...consult, state: withdrawn.value.next });
  }
  const ended = await endRuns(tx, runs, 'cancelled', now);
  await appendAudit(
    tx,
    ended.map(({ id, agent, principal }) => ({
      type: 'run.cancelled' as const,
      at: now,
      actor: by.actor,
      agent,
      principal,
      run: id,
      payload: { reason: by.reason },
    })),
  );
  return { consults, settled: await takeBack(tx, runs, by, now) };
}

/** Withdraws what these runs have open: held calls, approved calls that were not sent, and questions without a call. */
async function takeBack(
  tx: Transaction,
  runs: readonly string[],
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
  now: string,
): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  for (const { id } of await openCallsOf(tx, runs)) {
    const call = await lockCall(tx, id);
    if (!call) continue;
    const decisions = await refuseCall(tx, call, { cause: 'withdrawn', reason, actor, decision: null }, now);
    settled.push({ call, isQueued: false, decisions });
  }
  const questions = await withdrawOpen(tx, await pendingInRuns(tx, runs), actor, reason, now);
  return questions.length > 0 ? [...settled, { call: null, isQueued: false, decisions: questions }] : settled;
}

/** After the commit of a cancelling: tells whoever waits for one of its consults or calls. */
export async function announceCancelled(deps: EngineDeps, { consults, settled }: Cancelled): Promise<void> {
  for (const consult of consults) deps.signals.publish(TOPIC.consult(consult.id), consult.id);
  for (const one of settled) await announceSettled(deps, one);
}

/** The ids that events about a consult's asker carry; `run` is the one that the question started. */
export const aboutAsker = ({ asker, askerPrincipal, run }: Pick<ConsultRecord, 'asker' | 'askerPrincipal' | 'run'>) => ({
  agent: asker,
  principal: askerPrincipal,
  run,
});

/**
 * Takes a question to another agent back: its run ends, and with it everything below. Only the agent that asked does.
 * @returns the consult as it is then; `consult.already_answered` and the like when it was settled before; an unknown and a foreign one alike.
 */
export async function withdrawConsult(deps: EngineDeps, caller: Caller, id: string, reason: string): Promise<Result<null, ErrorCode>> {
  const found = await findConsult(deps.store.db, id);
  if (found?.asker !== actingName(caller)) return fail('not_found', `There is no consult ${id} of yours.`);
  const now = deps.now();
  const settled = decideConsult(found.state, { type: 'withdraw', by: found.asker, reason }, { now, counted: now });
  if (!settled.ok) return settled;
  const by = { actor: callerActor(caller), reason: `${found.asker} took its question back: ${reason}` };
  const cancelled = await deps.store.transact((tx) => cancelTree(tx, found.run, by, now));
  await announceCancelled(deps, cancelled);
  if (cancelled.consults.some((consult) => consult.id === id)) return ok(null);
  return fail('conflict', 'It was settled meanwhile. Look again.');
}

/**
 * Cancels a run: by the principal whose agent works in it, the operator, or the host.
 * @returns `not_found` for an unknown run and for another principal's alike.
 */
export async function cancelRun(deps: EngineDeps, doer: Doer, runId: string, reason: string): Promise<Result<null, ErrorCode>> {
  const run = await findRun(deps.store.db, runId);
  const isTheirs = 'caller' in doer ? !doer.caller.agent && doer.caller.principal?.name === run?.principal : true;
  if (!run || !isTheirs) return fail('not_found', `There is no run ${runId}.`);
  const actor = actorOf(doer);
  const now = deps.now();
  const cancelled = await deps.store.transact((tx) =>
    cancelTree(tx, run.id, { actor, reason: `${actor.name} cancelled the run: ${reason}` }, now),
  );
  await announceCancelled(deps, cancelled);
  return ok(null);
}
