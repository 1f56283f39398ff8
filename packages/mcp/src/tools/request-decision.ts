import { OWN_TOOL_SCOPE, Term } from '@countersign/contracts';
import * as z from 'zod';
import { notExecuted } from '../endpoint/agent-result.ts';
import { answerOf } from '../endpoint/results.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const requestDecision = ownTool({
  name: 'request_decision',
  scope: OWN_TOOL_SCOPE.request_decision,
  title: 'Request a decision',
  description:
    'Puts a question to your principal that no tool and no term covers: more room in your mandate, a choice that is theirs, what to do after a refusal. It returns at once with a decision; await_decision brings the answer. The same question again attaches to the open one, and after a "no" gets that "no". An approval runs nothing and changes no terms by itself.',
  input: z.strictObject({
    ask: z.string().trim().min(1).max(2000).describe('What you ask, so that yes or no answers it'),
    why: z.string().trim().min(1).max(4000).describe('Why you ask, and what happens without it'),
    about: z
      .string()
      .trim()
      .min(1)
      .max(120)
      .optional()
      .describe('What it is about: a call (call_…) or a decision (dec_…) of yours, or a tool that you have'),
    proposed_term: Term.optional().describe(
      'A term that you propose for the mandate: tool pattern, `when` in plain English, `match` in CEL over args. Your principal is shown it and adds it by hand, or does not',
    ),
  }),
  async run({ deps, caller, era, list, origin }, { ask, why, about, proposed_term: proposedTerm }) {
    const end = await deps.requestDecision(caller, { ask, why, about, proposedTerm, origin });
    if (!end.ok) return ownResult(notExecuted(end.error));
    const canRequestDecision = list.own.some(({ name }) => name === 'request_decision');
    return answerOf(end.value, { era, caller, tool: 'request_decision', hasOutputSchema: false, canRequestDecision });
  },
});
