import { type Decision, type ErrorCode, type ExtendInput, fail, ok, type Result } from '@countersign/contracts';
import { decide, withinDeadline } from '@countersign/core';
import { appendAudit, applyDecision, decisionsOfCall, findRun, findVisibleDecision, putOutbox } from '@countersign/store';
import { callerActor } from './actor.ts';
import { announceChange } from './announce.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { aboutDecision, deadline } from './raise-decision.ts';
import { readDecision } from './read-decision.ts';

/** Moves a pending decision's deadline later, as one of those who may answer it. */
export async function extendDecision(
  deps: EngineDeps,
  caller: Caller,
  id: string,
  input: ExtendInput,
): Promise<Result<Decision, ErrorCode>> {
  const { principal } = caller;
  if (caller.agent || !principal) return fail('credential.forbidden', 'Only a principal moves a deadline.');
  const { host } = await deps.authority.host('current');
  const extended = await deps.store.transact(async (tx): Promise<Result<null, ErrorCode>> => {
    const decision = await findVisibleDecision(tx, { principal: principal.name }, id);
    if (!decision) return fail('not_found', `There is no decision ${id}.`);
    const now = deps.now();
    const command = { type: 'extend', principal: principal.name, version: input.version, expiresAt: input.expiresAt } as const;
    const moved = decide(decision.question, decision.state, command, { now, counted: host.frozen?.at ?? now });
    if (!moved.ok) return moved;
    const bound = decision.chain.length > 1 ? ((await findRun(tx, decision.run))?.expiresAt ?? null) : null;
    if (withinDeadline(input.expiresAt, bound) !== input.expiresAt) {
      return fail('input.invalid', `The question that this call belongs to ends at ${bound}, and nothing of it can wait longer.`);
    }
    const others = decision.call ? await decisionsOfCall(tx, decision.call) : [];
    const approved = others.filter((other) => other.state.state === 'approved' && other.supersededBy === null);
    const first = approved.find((other) => other.state.expiresAt < input.expiresAt);
    if (first) {
      const by = first.question.answerBy.join(' and ');
      return fail('input.invalid', `${by} approved this call until ${first.state.expiresAt}, and it can't be sent after that.`);
    }
    if (!(await applyDecision(tx, id, moved.value.from, moved.value.next))) return fail('conflict', 'It changed meanwhile. Load it again.');
    await appendAudit(tx, [
      {
        type: moved.value.event,
        at: now,
        actor: callerActor(caller),
        ...aboutDecision(decision),
        payload: { from: decision.state.expiresAt, to: input.expiresAt },
      },
    ]);
    await putOutbox(tx, [deadline({ ...decision, state: moved.value.next })]);
    announceChange(deps, { type: 'decision', id, state: 'pending', version: moved.value.next.version, seenBy: decision.question.answerBy });
    return ok(null);
  });
  return extended.ok ? await readDecision(deps, caller, id) : extended;
}
