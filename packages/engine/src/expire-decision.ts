import { decide } from '@countersign/core';
import { appendAudit, applyDecision, findDecision, lockCall, takeReminder } from '@countersign/store';
import { announceSettled } from './after-settling.ts';
import { announceChange } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import { aboutDecision } from './raise-decision.ts';
import { relayUp } from './relay.ts';
import { refuseCall, type Settled } from './settle-call.ts';

const CLOCK = { kind: 'host', name: 'clock' } as const;

/** The words that go to the agent: silence is not consent, and it is not a person's "no" either. */
export const EXPIRED_REASON = 'Nobody answered before the deadline. Silence is not consent: it was not executed.';

/** Expires a decision whose deadline has passed; before that, or when it is settled, nothing happens. Deadlines stop while the host is frozen. */
export async function expireDecision(deps: EngineDeps, id: string): Promise<void> {
  const { host } = await deps.authority.host('current');
  const now = deps.now();
  const settled = await deps.store.transact(async (tx): Promise<Settled | null> => {
    const seen = await findDecision(tx, id);
    if (!seen) return null;
    const call = seen.call ? await lockCall(tx, seen.call) : null;
    const decision = await findDecision(tx, id);
    if (!decision) return null;
    const expired = decide(decision.question, decision.state, { type: 'expire' }, { now, counted: host.frozen?.at ?? now });
    if (!expired.ok || !(await applyDecision(tx, id, expired.value.from, expired.value.next))) return null;
    await appendAudit(tx, [
      {
        type: expired.value.event,
        at: now,
        actor: CLOCK,
        ...aboutDecision(decision),
        payload: { expiresAt: decision.state.expiresAt },
      },
    ]);
    const mine = { ...decision, state: expired.value.next };
    await relayUp(tx, [mine], now);
    if (!call || decision.kind !== 'call') return { call: null, isQueued: false, decisions: [mine] };
    const others = await refuseCall(tx, call, { cause: 'expired', reason: EXPIRED_REASON, actor: CLOCK, decision: id }, now);
    return { call, isQueued: false, decisions: [mine, ...others] };
  });
  if (settled) await announceSettled(deps, settled);
}

/** Reminds those who may answer, once, when the rule's time for it has come. */
export async function remindOfDecision(deps: EngineDeps, id: string): Promise<void> {
  const now = deps.now();
  const reminded = await deps.store.transact(async (tx) => {
    if (!(await takeReminder(tx, id, now))) return null;
    const decision = await findDecision(tx, id);
    if (!decision) return null;
    await appendAudit(tx, [
      {
        type: 'decision.reminded',
        at: now,
        actor: CLOCK,
        ...aboutDecision(decision),
        payload: { answerBy: decision.question.answerBy, expiresAt: decision.state.expiresAt },
      },
    ]);
    return decision;
  });
  if (reminded)
    announceChange(deps, { type: 'decision', id, state: 'pending', version: reminded.state.version, seenBy: reminded.question.answerBy });
}
