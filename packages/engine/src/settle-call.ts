/** What settling one decision does to its call and to the call's other decisions, inside the settling transaction. */
import type { Actor } from '@countersign/contracts';
import { advance, decide, type RefusalCause } from '@countersign/core';
import {
  appendAudit,
  applyCall,
  applyDecision,
  type CallRecord,
  type DecisionRecord,
  decisionsOfCall,
  dropOutbox,
  putOutbox,
  type Transaction,
} from '@countersign/store';
import { sha256 } from './digest.ts';
import type { Judgement } from './judge.ts';
import { about, aboutDecision } from './raise-decision.ts';
import { relayUp } from './relay.ts';

/** How long the fast path has for a dispatch before the relay wakes a worker through the queue. */
const FAST_PATH_MS = 2_000;

/** What everybody must hear once the transaction is committed. */
export type Settled = { readonly call: CallRecord | null; readonly isQueued: boolean; readonly decisions: readonly DecisionRecord[] };

/** Arguments that a principal edited, and the verdict that they got. */
export type Edit = { readonly args: string; readonly judgement: Judgement };

/** Queues the call when all of its decisions are approved. The call's row is locked by the caller's transaction. */
export async function queueWhenApproved(tx: Transaction, call: CallRecord, actor: Actor, now: string, edit: Edit | null): Promise<boolean> {
  const decisions = await decisionsOfCall(tx, call.id);
  if (decisions.some((decision) => decision.state.state === 'pending')) return false;
  const queued = advance(call.life, { type: 'approve' });
  const changes = edit ? { effectiveArgs: edit.args, judged: judgedBy(edit.judgement) } : {};
  if (!queued.ok || !(await applyCall(tx, call.id, queued.value.from, queued.value.next, changes))) return false;
  await appendAudit(tx, [
    {
      type: queued.value.event,
      at: now,
      actor,
      ...about(call),
      payload: { decisions: decisions.map((decision) => decision.id), ...(edit && { editedArgsDigest: sha256(edit.args) }) },
    },
  ]);
  await putOutbox(tx, [{ job: 'dispatch', subject: call.id, runAt: now, relayAt: later(now, FAST_PATH_MS) }]);
  return true;
}

/** What a call was judged by: kept on its row, and compared with how things stand when it is dispatched. */
export const judgedBy = ({ tool, rulesDigest, authority, mandateVersions, verdict }: Judgement) => ({
  toolDigest: tool.digest,
  rulesDigest,
  authority,
  mandateVersions,
  grounds: verdict.grounds,
});

export const later = (now: string, byMs: number): string => new Date(Date.parse(now) + byMs).toISOString();

/**
 * Refuses a call and takes its other open decisions back, each with the reason. Nothing leads from here to upstream. A call that may have run
 * in an earlier attempt is not refused but stays unknown: it is only not sent again.
 * @returns the decisions that were taken back.
 */
export async function refuseCall(
  tx: Transaction,
  call: CallRecord,
  refusal: { readonly cause: RefusalCause; readonly reason: string; readonly actor: Actor; readonly decision: string | null },
  now: string,
): Promise<readonly DecisionRecord[]> {
  const refused = advance(call.life, { type: 'refuse', cause: refusal.cause });
  const isRefused = refused.ok && refused.value.next.state === 'refused';
  const reason = isRefused ? refusal.reason : `It was not sent again: ${refusal.reason} Nobody knows what came of the attempt before.`;
  const changes = { ...(isRefused && { cause: refusal.cause }), reason, finishedAt: now };
  if (refused.ok && (await applyCall(tx, call.id, refused.value.from, refused.value.next, changes))) {
    await appendAudit(tx, [
      {
        type: refused.value.event,
        at: now,
        actor: refusal.actor,
        ...about(call),
        decision: refusal.decision,
        payload: { cause: refusal.cause, reason },
      },
    ]);
    await dropOutbox(tx, 'dispatch', [call.id]);
  }
  return await withdrawOpen(tx, await decisionsOfCall(tx, call.id), refusal.actor, refusal.reason, now);
}

/** Takes open decisions back, each with its event. */
export async function withdrawOpen(
  tx: Transaction,
  decisions: readonly DecisionRecord[],
  actor: Actor,
  reason: string,
  now: string,
): Promise<readonly DecisionRecord[]> {
  const taken: DecisionRecord[] = [];
  for (const decision of decisions) {
    const withdrawn = decide(decision.question, decision.state, { type: 'withdraw', by: actor.name, reason }, { now, counted: now });
    if (!withdrawn.ok || !(await applyDecision(tx, decision.id, withdrawn.value.from, withdrawn.value.next))) continue;
    await appendAudit(tx, [
      {
        type: withdrawn.value.event,
        at: now,
        actor,
        ...aboutDecision(decision),
        payload: { reason },
      },
    ]);
    taken.push({ ...decision, state: withdrawn.value.next });
  }
  await relayUp(tx, taken, now);
  await dropOutbox(
    tx,
    'expire',
    taken.map((decision) => decision.id),
  );
  return taken;
}
