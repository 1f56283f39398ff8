/** What the agent is told of a call, from the rows: the same words whether it waited, asks again, or comes from another session. */
import {
  type AnswerRecord,
  answersOf,
  type CallRecord,
  type DecisionRecord,
  decisionsOfCall,
  findCall,
  type Queryable,
} from '@countersign/store';
import type { CallEnd, HeldDecision } from './call-end.ts';
import type { EngineDeps } from './deps.ts';
import type { UpstreamReply } from './upstreams.ts';

export async function endOfCall(deps: EngineDeps, db: Queryable, id: string): Promise<CallEnd | null> {
  const call = await findCall(db, id);
  if (!call) return null;
  const decisions = call.effect === 'ask' ? await decisionsOfCall(db, id) : [];
  const isRefused = call.life.state === 'refused';
  const answers = isRefused
    ? await answersOf(
        db,
        decisions.map((decision) => decision.id),
      )
    : [];
  return describeEnd(deps, call, decisions, answers);
}

/** @returns `held` while nothing is decided or it is on its way; what it came to otherwise. */
export function describeEnd(
  deps: EngineDeps,
  call: CallRecord,
  decisions: readonly DecisionRecord[],
  answers: readonly AnswerRecord[],
): CallEnd {
  const ids = decisions.map((decision) => decision.id);
  switch (call.life.state) {
    case 'done':
      return { kind: 'reply', call: call.id, reply: replyOf(call), decisions: ids };
    case 'failed':
      return call.result === null
        ? { kind: 'failed', call: call.id, reason: call.reason ?? 'It failed.', sent: false }
        : { kind: 'reply', call: call.id, reply: replyOf(call), decisions: ids };
    case 'unknown':
      return { kind: 'unknown', call: call.id, reason: call.reason ?? 'Nobody knows whether it took effect.' };
    case 'refused': {
      const no = answers.find((answer) => answer.effect === 'refuse');
      return {
        kind: 'refused',
        code: (call.cause ?? 'refused_by_rule') as 'refused_by_rule',
        call: call.id,
        decision: no?.decision ?? ids.at(-1) ?? null,
        reason: call.reason ?? 'It was refused.',
        note: no?.note ? { by: no.principal, text: no.note } : null,
      };
    }
    case 'abandoned':
      return {
        kind: 'refused',
        code: 'withdrawn',
        call: call.id,
        decision: ids.at(-1) ?? null,
        reason: call.reason ?? 'The caller left.',
        note: null,
      };
    case 'held':
    case 'queued':
    case 'executing':
    case 'running':
      return {
        kind: 'held',
        call: call.id,
        mayHaveRun: call.life.mayHaveRun,
        decisions: decisions.filter((decision) => decision.supersededBy === null).map((decision) => heldDecision(deps, decision)),
      };
    default:
      return call.life.state satisfies never;
  }
}

const replyOf = (call: CallRecord): UpstreamReply => JSON.parse(call.result ?? 'null') as UpstreamReply;

export const decisionUrl = (deps: EngineDeps, id: string): string => `${deps.config().publicUrl}/decisions/${id}`;

export const heldDecision = (deps: EngineDeps, decision: DecisionRecord): HeldDecision => ({
  id: decision.id,
  state: decision.state.state,
  expiresAt: decision.state.expiresAt,
  url: decisionUrl(deps, decision.id),
  answerBy: decision.question.answerBy,
  reasons: decision.grounds.map((ground) => ground.reason),
});
