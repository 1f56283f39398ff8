/** The tables are the truth and the queue only wakes somebody up: from here everything that was promised is found again. */

import { isLeaseOver } from '@countersign/core';
import type { JobName, JobQueue } from '@countersign/queue';
import { dueOutbox, findDue, findOverdueConsults, findStranded, handedOver, pruneIdempotent } from '@countersign/store';
import { recordLate } from './call-tool.ts';
import { expireConsult } from './consult-end.ts';
import type { EngineDeps } from './deps.ts';
import { recoverCall } from './dispatch-call.ts';
import { expireDecision, remindOfDecision } from './expire-decision.ts';
import { later } from './settle-call.ts';

const BATCH = 200;

/**
 * Hands due outbox rows to the queue. A row goes only after the queue has its job: dying in between doubles a wake-up, and every job may run twice.
 * @returns how many were handed over.
 */
export async function relayOutbox(deps: EngineDeps, queue: JobQueue): Promise<number> {
  const now = deps.now();
  const due = await dueOutbox(deps.store.db, now, BATCH);
  for (const row of due) {
    await queue.enqueue({
      name: row.job satisfies JobName,
      id: row.subject,
      delayMs: Math.max(0, Date.parse(row.runAt) - Date.parse(now)),
    });
  }
  await handedOver(deps.store.db, due);
  return due.length;
}

/**
 * Finds what fell between two chairs, from the tables alone: approved calls that nobody claimed, leases that ran out, calls whose process is
 * gone, deadlines and reminders that are due. Losing the whole queue loses nothing.
 * `startedBefore`: allowed calls that began before it and are still running belong to a process that is gone.
 */
export async function reconcile(deps: EngineDeps, queue: JobQueue, startedBefore: string): Promise<void> {
  const now = deps.now();
  await recordLate(deps);
  for (const call of await findStranded(deps.store.db, now, startedBefore, BATCH)) {
    if (call.life.state === 'queued') await queue.enqueue({ name: 'dispatch', id: call.id });
    else if (call.life.state === 'running' || isLeaseOver(call.life, now)) await recoverCall(deps, call);
  }
  const { overdue, toRemind } = await findDue(deps.store.db, now, BATCH);
  for (const id of overdue) await expireDecision(deps, id);
  for (const id of toRemind) await remindOfDecision(deps, id);
  for (const id of await findOverdueConsults(deps.store.db, now, BATCH)) await expireConsult(deps, id);
  await pruneIdempotent(deps.store.db, later(now, -86_400_000));
}
