import { advance } from '@countersign/core';
import { appendAudit, applyCall, decisionsOfCall, lockCall } from '@countersign/store';
import { callerActor } from './actor.ts';
import { announceSettled } from './after-settling.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { about } from './raise-decision.ts';
import { type Settled, withdrawOpen } from './settle-call.ts';

const REASON = 'The caller left before it was told about this decision.';

/**
 * Takes a held call back whose caller left before it was told the decision's id: nobody could ever fetch the outcome. Once the id was told,
 * leaving ends only the wait, and nothing happens here.
 */
export async function abandonCall(deps: EngineDeps, caller: Caller, callId: string): Promise<void> {
  const now = deps.now();
  const actor = callerActor(caller);
  const settled = await deps.store.transact(async (tx): Promise<Settled | null> => {
    const call = await lockCall(tx, callId);
    if (!call || call.toldAt) return null;
    const left = advance(call.life, { type: 'abandon' });
    if (!left.ok || !(await applyCall(tx, call.id, left.value.from, left.value.next, { reason: REASON, finishedAt: now }))) return null;
    await appendAudit(tx, [{ type: left.value.event, at: now, actor, ...about(call), payload: { reason: REASON } }]);
    const decisions = await withdrawOpen(tx, await decisionsOfCall(tx, call.id), actor, REASON, now);
    return { call, isQueued: false, decisions };
  });
  if (settled) await announceSettled(deps, settled);
}
