import { canonicalize } from '@countersign/audit';
import { type AnswerInput, type Decision, type ErrorCode, type Failure, fail, ok, type Result } from '@countersign/contracts';
import { type DecisionTransition, decide } from '@countersign/core';
import {
  type AnswerRecord,
  appendAudit,
  applyDecision,
  type CallRecord,
  type DecisionRecord,
  dropOutbox,
  findCall,
  findVisibleDecision,
  insertAnswer,
  lockCall,
  mintId,
  type Transaction,
} from '@countersign/store';
import { answerToolDecision } from './accept-tool.ts';
import { callerActor } from './actor.ts';
import { announceSettled } from './after-settling.ts';
import { announceAuthority } from './announce.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { judgeEdit } from './judge-edit.ts';
import { answerOutcomeDecision } from './outcome-decision.ts';
import { aboutDecision } from './raise-decision.ts';
import { readDecision } from './read-decision.ts';
import { restoreRedacted } from './redact.ts';
import { redactsAnything } from './redact-paths.ts';
import { MASK } from './redact-text.ts';
import { relayUp } from './relay.ts';
import { readWish } from './remember.ts';
import { type Edit, queueWhenApproved, refuseCall, type Settled } from './settle-call.ts';
import type { JsonObject } from './upstreams.ts';

/**
 * Answers a decision as a principal. One answer takes effect; every other one is told who was first and when. An approval queues the call in
 * the same transaction; a refusal has no way to upstream. An answer that is turned down is an event too.
 */
export async function answerDecision(
  deps: EngineDeps,
  caller: Caller,
  id: string,
  input: AnswerInput,
): Promise<Result<Decision, ErrorCode>> {
  const { principal } = caller;
  if (caller.agent || !principal) {
    return fail('credential.forbidden', 'Only a principal answers decisions. An agent’s credential never does, whatever its scopes.');
  }
  const { host } = await deps.authority.host('current');
  // Judged before the transaction: the embedded database has one connection, and the dispatcher checks everything again anyway.
  const edited = await editedArgs(deps, caller, id, input);
  const settled = await deps.store.transact(async (tx): Promise<Result<Settled, ErrorCode>> => {
    const seen = await findVisibleDecision(tx, { principal: principal.name }, id);
    if (!seen) return fail('not_found', `There is no decision ${id}.`);
    // The call's row is locked first, so that the last two of several answers can't each think the other is still open.
    const call = seen.call ? await lockCall(tx, seen.call) : null;
    const decision = (await findVisibleDecision(tx, { principal: principal.name }, id)) ?? seen;
    const now = deps.now();
    const command = {
      type: 'answer',
      principal: principal.name,
      effect: input.effect,
      note: input.note ?? null,
      version: input.version,
      shownDigest: input.shownDigest as DecisionRecord['question']['shownDigest'],
    } as const;
    const decided = decide(decision.question, decision.state, command, { now, counted: host.frozen?.at ?? now });
    if (!decided.ok) return await turnDown(deps, tx, caller, decision, input, decided.error);
    if (!edited.ok) return await turnDown(deps, tx, caller, decision, input, edited.error);
    const wish = readWish(deps.config().tools, input, decision, call, edited.value?.args ?? null, now);
    if (!wish.ok) return await turnDown(deps, tx, caller, decision, input, wish.error);
    if (!(await applyDecision(tx, decision.id, decided.value.from, decided.value.next))) {
      return fail('conflict', 'It changed while you answered. Load it again.');
    }
    return ok(
      await recordAnswer(tx, {
        caller,
        decision,
        call,
        input,
        edited: edited.value,
        remember: wish.value,
        transition: decided.value,
        now,
      }),
    );
  });
  if (!settled.ok) return settled;
  if (settled.value.decisions.some((decision) => decision.kind === 'tool')) announceAuthority(deps);
  await announceSettled(deps, settled.value);
  return await readDecision(deps, caller, id);
}

async function recordAnswer(
  tx: Transaction,
  given: {
    readonly caller: Caller;
    readonly decision: DecisionRecord;
    readonly call: CallRecord | null;
    readonly input: AnswerInput;
    readonly edited: Edit | null;
    readonly remember: AnswerRecord['remember'];
    readonly transition: DecisionTransition;
    readonly now: string;
  },
): Promise<Settled> {
  const { caller, decision, call, input, edited, remember, transition, now } = given;
  const actor = callerActor(caller);
  const note = input.note ?? null;
  await insertAnswer(tx, {
    id: mintId('ans'),
    decision: decision.id,
    principal: actor.name,
    effect: input.effect,
    note,
    editedArgs: edited?.args ?? null,
    remember,
    shownDigest: decision.question.shownDigest,
    at: now,
  });
  await appendAudit(tx, [
    {
      type: transition.event,
      at: now,
      actor,
      ...aboutDecision(decision),
      payload: {
        effect: input.effect,
        note,
        shownDigest: decision.question.shownDigest,
        version: transition.next.version,
        isEdited: edited !== null,
        ...(remember && { remember }),
      },
    },
  ]);
  const answered = { ...decision, state: transition.next };
  if (transition.next.state === 'pending') return { call: null, isQueued: false, decisions: [answered] };
  await dropOutbox(tx, 'expire', [decision.id]);
  await relayUp(tx, [answered], now, note);
  if (decision.kind === 'tool') await answerToolDecision(tx, decision, input.effect, actor, now);
  if (!call) return { call: null, isQueued: false, decisions: [answered] };
  if (decision.kind === 'outcome') {
    const isQueued = await answerOutcomeDecision(tx, call, input.effect, actor, now);
    return { call, isQueued, decisions: [answered] };
  }
  if (input.effect === 'approve') {
    return { call, isQueued: await queueWhenApproved(tx, call, actor, now, edited), decisions: [answered] };
  }
  const reason = note ? `${actor.name} refused it: ${note}` : `${actor.name} refused it, without a note.`;
  const others = await refuseCall(tx, call, { cause: 'refused_by_principal', reason, actor, decision: decision.id }, now);
  return { call, isQueued: false, decisions: [answered, ...others] };
}

/** Edited arguments in canonical text that passed the gate again; null when nothing was edited. */
async function editedArgs(deps: EngineDeps, caller: Caller, id: string, input: AnswerInput): Promise<Result<Edit | null, ErrorCode>> {
  if (input.editedArgs === undefined) return ok(null);
  if (input.effect === 'refuse') return fail('input.invalid', 'A refusal has no edited arguments.');
  const principal = caller.principal?.name ?? '';
  const decision = await findVisibleDecision(deps.store.db, { principal }, id);
  const call = decision?.call ? await findCall(deps.store.db, decision.call) : null;
  if (!decision || !call || decision.kind !== 'call')
    return fail('input.invalid', 'There is no call here whose arguments could be edited.');
  const before = call.effectiveArgs ?? call.args;
  const args = await withHidden(deps, caller, id, input.editedArgs, JSON.parse(before) as JsonObject);
  if (!args)
    return fail(
      'decision.edit_refused',
      `${MASK} stands for a value that nobody is shown. Leave it where it stood, or write another value over it.`,
    );
  const text = canonicalize(args);
  if (text === before) return ok(null);
  const judged = await judgeEdit(deps, call, decision, { name: principal, note: input.note }, args);
  return judged.ok ? ok({ args: text, judgement: judged.value }) : judged;
}

/** The edit with the values that its editor was not shown; null where it can't be told which they are. */
async function withHidden(
  deps: EngineDeps,
  caller: Caller,
  id: string,
  edited: JsonObject,
  before: JsonObject,
): Promise<JsonObject | null> {
  if (!redactsAnything(deps.config().tools)) return edited;
  const shown = await readDecision(deps, caller, id);
  const call = shown.ok ? shown.value.call : null;
  return call && restoreRedacted(edited, call.effectiveArguments ?? call.arguments, before);
}

/** Records an answer that changed nothing. The event commits; the caller gets the reason. */
async function turnDown(
  deps: EngineDeps,
  tx: Transaction,
  caller: Caller,
  decision: DecisionRecord,
  input: AnswerInput,
  error: Failure,
): Promise<Result<never, ErrorCode>> {
  await appendAudit(tx, [
    {
      type: 'decision.answer_rejected',
      at: deps.now(),
      actor: callerActor(caller),
      ...aboutDecision(decision),
      payload: { effect: input.effect, version: input.version, shownDigest: input.shownDigest, code: error.code },
    },
  ]);
  return { ok: false, error };
}
