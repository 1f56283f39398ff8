/** What the agent is told of a decision that has no call, from the rows. */
import { type AnswerRecord, answersOf, type DecisionRecord, findDecision, type Queryable } from '@countersign/store';
import type { CallEnd } from './call-end.ts';
import type { EngineDeps } from './deps.ts';
import { heldDecision } from './end-of-call.ts';

export async function endOfQuestion(deps: EngineDeps, db: Queryable, id: string): Promise<CallEnd | null> {
  const decision = await findDecision(db, id);
  return decision && describeAnswer(deps, decision, await answersOf(db, [id]));
}

/** @returns `asked` while it is open, `answered` with who and how otherwise. */
export function describeAnswer(deps: EngineDeps, decision: DecisionRecord, answers: readonly AnswerRecord[]): CallEnd {
  const { state } = decision;
  const noteOf = (effect: AnswerRecord['effect']) => {
    const said = answers.findLast((answer) => answer.effect === effect && answer.note !== null);
    return said?.note ? { by: said.principal, text: said.note } : null;
  };
  const base = { kind: 'answered', decision: decision.id, reason: null, note: null } as const;
  switch (state.state) {
    case 'pending':
      return { kind: 'asked', decision: heldDecision(deps, decision) };
    case 'approved':
      return { ...base, code: 'approved', by: state.approvals.map((approval) => approval.principal), note: noteOf('approve') };
    case 'refused':
      return { ...base, code: 'refused_by_principal', by: [state.by], note: noteOf('refuse') };
    case 'expired':
      return { ...base, code: 'expired', by: [] };
    case 'withdrawn':
      return { ...base, code: 'withdrawn', by: [state.by], reason: state.reason };
    default:
      return state satisfies never;
  }
}
