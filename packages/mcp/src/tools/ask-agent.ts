import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, token } from '@countersign/core';
import * as z from 'zod';
import { agentResult, notExecuted } from '../endpoint/agent-result.ts';
import { consultFailure, consultResult } from './consult-result.ts';
import { withNotes } from './notes.ts';
import { type OwnToolContext, ownResult, ownTool } from './own-tool.ts';
import { waitMsOf, waitSecondsInput } from './wait-seconds.ts';

const input = z.strictObject({
  agent: z.string().min(1).max(64).optional().describe('Whom to ask, by name; list_agents shows who takes questions'),
  question: z.string().trim().min(1).max(20_000).optional(),
  consult: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The id of a question that you asked before, con_…, in place of agent and question'),
  withdraw: z.string().min(1).max(1000).optional().describe('With consult: takes the question back, and says why'),
  wait_seconds: waitSecondsInput,
});

export const askAgent = ownTool({
  name: 'ask_agent',
  scope: OWN_TOOL_SCOPE.ask_agent,
  title: 'Ask an agent',
  description:
    'Asks another agent and returns its answer, quoted; or, when that takes longer, the id of the question (con_…). There is one way to get the answer later: ask_agent with {"consult": "con_…"}, again and again, from any session. The same question to the same agent attaches to the open one. With {"consult", "withdraw"} the question is taken back, and with it whatever was asked of people for its sake. The other agent may do no more for your question than you may yourself. What principals decided meanwhile comes with the result.',
  input,
  async run(context, given) {
    const { deps, caller } = context;
    const { consult, withdraw } = given;
    const problem = problemOf(given);
    if (problem) return ownResult(notExecuted({ code: 'input.invalid', message: problem }));
    if (consult !== undefined && withdraw !== undefined) {
      const withdrawn = await deps.withdrawConsult(caller, consult, withdraw);
      if (!withdrawn.ok) return ownResult(consultFailure(withdrawn.error, consult));
      const text = agentText`${token(consult)} is taken back, with everything that waited for its sake. Nobody answers it any more.`;
      return ownResult(await withNotes(context, agentResult(text, { structured: { consult, state: 'withdrawn' } }), consult));
    }
    const end = await asked(context, given);
    if (!end.ok) return ownResult(consultFailure(end.error, consult));
    return ownResult(await withNotes(context, consultResult(end.value), end.value.consult));
  },
});

function asked({ deps, caller, origin, waitBudgetMs, signal }: OwnToolContext, given: z.output<typeof input>) {
  const { agent = '', question = '', consult } = given;
  const wait = { waitMs: waitMsOf(given.wait_seconds, waitBudgetMs), signal };
  return consult === undefined ? deps.askAgent(caller, { agent, question, origin }, wait) : deps.awaitConsult(caller, consult, wait);
}

/** The two ways to call it, in words for who mixed them; null when it is one of them. */
function problemOf({ agent, question, consult, withdraw }: z.output<typeof input>): string | null {
  const asks = agent !== undefined && question !== undefined && withdraw === undefined;
  const looks = agent === undefined && question === undefined;
  if (consult === undefined ? asks : looks) return null;
  return 'give either agent and question, to ask, or consult (with withdraw or without), to get the answer or to take the question back.';
}
