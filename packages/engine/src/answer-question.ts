import { type ErrorCode, type Failure, fail, ok, type Result } from '@countersign/contracts';
import { decideConsult } from '@countersign/core';
import { appendAudit, applyConsult, type ConsultRecord, endRuns, findConsult, lockConsult, lockTree } from '@countersign/store';
import { callerActor } from './actor.ts';
import { TOPIC } from './announce.ts';
import type { Caller } from './caller.ts';
import { type ConsultEnd, describeConsult } from './consult-end.ts';
import type { EngineDeps } from './deps.ts';
import { countedNow, holderOf } from './enter-run.ts';
import { actingName } from './judge.ts';
import { aboutAsked } from './next-question.ts';

/**
 * Answers a question that was handed to this credential, and ends its run: the first answer stands, whatever comes later. What the run left
 * open stays open: it was asked while the question was, and its own answers settle it.
 * @returns `consult.not_claimed` for who does not hold the question, `consult.already_answered`, `consult.withdrawn` or `consult.expired` when
 * it is settled; an unknown consult and another agent's answer alike. Each denial is an event.
 */
export async function answerQuestion(deps: EngineDeps, caller: Caller, id: string, answer: string): Promise<Result<ConsultEnd, ErrorCode>> {
  const found = await findConsult(deps.store.db, id);
  const isTheirs = caller.agent !== null && found?.agent === caller.agent.name;
  if (!found || !isTheirs)
    return await turnDown(deps, caller, null, id, { code: 'not_found', message: `There is no question ${id} of yours.` });
  if (caller.run && caller.run.consult !== id) {
    const message = `This request belongs to ${caller.run.consult}, and answers only that question.`;
    return await turnDown(deps, caller, found, id, { code: 'consult.not_claimed', message });
  }
  const counted = await countedNow(deps);
  const answered = await deps.store.transact(async (tx): Promise<Result<ConsultRecord, ErrorCode>> => {
    // The run before its consult, as everybody locks them.
    await lockTree(tx, found.run);
    const consult = (await lockConsult(tx, id)) ?? found;
    const now = deps.now();
    const given = decideConsult(consult.state, { type: 'answer', holder: holderOf(caller) }, { now, counted });
    if (!given.ok) return given;
    if (!(await applyConsult(tx, id, given.value.from, given.value.next, { answer })))
      return fail('conflict', 'It changed meanwhile. Look again.');
    await endRuns(tx, [consult.run], 'done', now);
    const payload = { consult: id, asker: consult.asker, answer };
    await appendAudit(tx, [{ type: given.value.event, at: now, actor: callerActor(caller), ...aboutAsked(consult), payload }]);
    return ok({ ...consult, state: given.value.next, answer });
  });
  if (!answered.ok) return await turnDown(deps, caller, found, id, answered.error);
  deps.signals.publish(TOPIC.consult(id), id);
  return ok(describeConsult(answered.value));
}

async function turnDown(
  deps: EngineDeps,
  caller: Caller,
  consult: ConsultRecord | null,
  id: string,
  error: Failure,
): Promise<Result<never, ErrorCode>> {
  await appendAudit(deps.store.db, [
    {
      type: 'consult.refused',
      at: deps.now(),
      actor: callerActor(caller),
      agent: actingName(caller),
      principal: caller.principal?.name ?? null,
      run: consult?.run ?? null,
      payload: { attempt: 'answer', consult: id, code: error.code },
    },
  ]);
  return { ok: false, error };
}
