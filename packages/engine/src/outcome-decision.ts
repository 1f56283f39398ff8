/** Decisions of kind `outcome`: a call may have run and nobody knows. A person looks, and says whether it is sent again. */
import type { Actor } from '@countersign/contracts';
import { advance } from '@countersign/core';
import {
  appendAudit,
  applyCall,
  type CallRecord,
  type DecisionRecord,
  decisionsOfCall,
  insertDecisions,
  mintId,
  putOutbox,
  type Transaction,
} from '@countersign/store';
import { digestOf } from './digest.ts';
import { about } from './raise-decision.ts';

const WAITS_MS = 7 * 86_400_000;

/** Asks those who approved the call, in the transaction that makes it unknown. */
export async function raiseOutcomeDecision(tx: Transaction, call: CallRecord, reason: string, now: string): Promise<DecisionRecord> {
  const before = await decisionsOfCall(tx, call.id);
  const last = before.at(-1);
  const answerBy = [...new Set(before.flatMap((decision) => decision.question.answerBy))];
  const grounds = [
    {
      kind: 'tool' as const,
      effect: 'ask' as const,
      reason: `${reason} It may have taken effect. Look at ${call.tool}'s side first: approving sends the same call again, refusing leaves it.`,
      answerBy,
      needs: 1,
      expiresMs: WAITS_MS,
      irreversible: false,
      mode: 'enforce' as const,
    },
  ];
  const context = { seen: { attempt: call.life.attempt, arguments: call.effectiveArgs ?? call.args }, claimed: null };
  const title = `May have run: ${call.tool}. Send it again?`;
  const decision: DecisionRecord = {
    id: mintId('dec'),
    kind: 'outcome',
    call: call.id,
    request: null,
    tool: call.tool,
    title,
    principal: call.principal,
    agent: call.agent,
    run: call.run,
    chain: last?.chain ?? [],
    grounds,
    context,
    question: {
      answerBy: answerBy.length > 0 ? answerBy : [call.principal],
      needs: 1,
      shownDigest: digestOf({
        title,
        tool: call.tool,
        arguments: call.effectiveArgs ?? call.args,
        grounds,
        context,
        call: call.id,
        attempt: call.life.attempt,
      }),
      irreversible: false,
    },
    state: { state: 'pending', version: 1, approvals: [], expiresAt: new Date(Date.parse(now) + WAITS_MS).toISOString() },
    settledReason: null,
    supersedes: null,
    supersededBy: null,
    afterRefusalOf: null,
    createdAt: now,
    remindAt: null,
  };
  await insertDecisions(tx, [decision]);
  await appendAudit(tx, [
    {
      type: 'decision.raised',
      at: now,
      actor: { kind: 'host', name: 'dispatch' },
      ...about(call),
      decision: decision.id,
      payload: { kind: 'outcome', title, reason, answerBy: decision.question.answerBy, shownDigest: decision.question.shownDigest },
    },
  ]);
  return decision;
}

/** Approve: the same call goes out again under the same key. Refuse: it stays unknown, and nothing is sent. @returns whether it was queued. */
export async function answerOutcomeDecision(
  tx: Transaction,
  call: CallRecord,
  effect: 'approve' | 'refuse',
  actor: Actor,
  now: string,
): Promise<boolean> {
  if (effect === 'refuse') return false;
  const again = advance(call.life, { type: 'retry' });
  // What was fetched so far is that nobody knows: the end of the attempt to come is another one.
  const changes = { reason: null, finishedAt: null, deliveredAt: null };
  if (!again.ok || !(await applyCall(tx, call.id, again.value.from, again.value.next, changes))) return false;
  await appendAudit(tx, [
    { type: again.value.event, at: now, actor, ...about(call), payload: { retry: true, attempt: call.life.attempt + 1 } },
  ]);
  await putOutbox(tx, [{ job: 'dispatch', subject: call.id, runAt: now, relayAt: new Date(Date.parse(now) + 2_000).toISOString() }]);
  return true;
}
