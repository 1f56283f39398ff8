import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, token } from '@countersign/core';
import * as z from 'zod';
import { agentResult } from '../endpoint/agent-result.ts';
import { consultFailure } from './consult-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const answerQuestion = ownTool({
  name: 'answer_question',
  scope: OWN_TOOL_SCOPE.answer_question,
  title: 'Answer a question',
  description:
    'Answers a question that next_question handed to you. The first answer stands. The question ends with it: what carries its run token is refused from then on, and decisions that it left open stay open until people answer them.',
  input: z.strictObject({
    consult: z.string().min(1).max(100).describe('The id of the question, con_…'),
    answer: z.string().trim().min(1).max(100_000),
  }),
  async run({ deps, caller }, { consult, answer }) {
    const answered = await deps.answerQuestion(caller, consult, answer);
    if (!answered.ok) return ownResult(consultFailure(answered.error, consult));
    return ownResult(agentResult(agentText`${token(consult)} is answered.`, { structured: { consult, state: answered.value.state } }));
  },
});
