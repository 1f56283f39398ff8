import { type Decision, type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import { decide } from '@countersign/core';
import { appendAudit, applyDecision, dropOutbox, findVisibleDecision, lockCall } from '@countersign/store';
import { callerActor } from './actor.ts';
import { announceSettled } from './after-settling.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { aboutDecision } from './raise-decision.ts';
import { readDecision } from './read-decision.ts';
import { relayUp } from './relay.ts';
import { refuseCall, type Settled } from './settle-call.ts';
import { viewOf } from './view.ts';

/**
 * Takes a question back: by the agent that asked, or by a principal who may see it. The call ends as withdrawn, which is not a "no", and its
 * other decisions are withdrawn with it. What the host itself asks (whether a call that may have run is sent again, whether a changed tool is
 * accepted) is nobody's to take back.
 */
export async function withdrawDecision(deps: EngineDeps, caller: Caller, id: string, reason: string): Promise<Result<Decision, ErrorCode>> {
  const view = viewOf(caller);
  const actor = callerActor(caller);
  const settled = await deps.store.transact(async (tx): Promise<Result<Settled, ErrorCode>> => {
    const seen = await findVisibleDecision(tx, view, id);
    if (!seen) return fail('not_found', `There is no decision ${id}.`);
    const call = seen.call ? await lockCall(tx, seen.call) : null;
    const decision = (await findVisibleDecision(tx, view, id)) ?? seen;
    if (decision.kind === 'outcome' || decision.kind === 'tool') {
      return fail('decision.not_yours', 'The host asks this, so nobody takes it back: it ends by an answer or at its deadline.');
    }
    const now = deps.now();
    const withdrawn = decide(decision.question, decision.state, { type: 'withdraw', by: actor.name, reason }, { now, counted: now });
    if (!withdrawn.ok) return withdrawn;
    if (!(await applyDecision(tx, id, withdrawn.value.from, withdrawn.value.next)))
      return fail('conflict', 'It changed meanwhile. Load it again.');
    await appendAudit(tx, [
      {
        type: withdrawn.value.event,
        at: now,
        actor,
        ...aboutDecision(decision),
        payload: { reason },
      },
    ]);
    await dropOutbox(tx, 'expire', [id]);
    const mine = { ...decision, state: withdrawn.value.next };
    await relayUp(tx, [mine], now);
    if (!call || decision.kind !== 'call') return ok({ call: null, isQueued: false, decisions: [mine] });
    const others = await refuseCall(
      tx,
      call,
      { cause: 'withdrawn', reason: `Withdrawn by ${actor.name}: ${reason}`, actor, decision: id },
      now,
    );
    return ok({ call, isQueued: false, decisions: [mine, ...others] });
  });
  if (!settled.ok) return settled;
  await announceSettled(deps, settled.value);
  return await readDecision(deps, caller, id);
}
