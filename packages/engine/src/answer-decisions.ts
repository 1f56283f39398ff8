import type { BulkAnswerInput, Decision, Result } from '@countersign/contracts';
import { answerDecision } from './answer-decision.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';

/** Answers exactly the listed ids at the listed versions, one after the other, and reports each: one that fails stops none of the others. */
export async function answerDecisions(
  deps: EngineDeps,
  caller: Caller,
  input: BulkAnswerInput,
): Promise<{ readonly items: readonly { readonly id: string; readonly result: Result<Decision> }[] }> {
  const items: { id: string; result: Result<Decision> }[] = [];
  for (const { id, ...answer } of input.answers) items.push({ id, result: await answerDecision(deps, caller, id, answer) });
  return { items };
}
