import { META, OWN_TOOL_SCOPE } from '@countersign/contracts';
import { type AgentText, agentText, joinTexts, quote, token, untrusted } from '@countersign/core';
import type { NextQuestion } from '@countersign/engine';
import * as z from 'zod';
import { agentResult, notExecuted } from '../endpoint/agent-result.ts';
import { withNotes } from './notes.ts';
import { ownResult, ownTool } from './own-tool.ts';
import { waitMsOf, waitSecondsInput } from './wait-seconds.ts';

export const nextQuestion = ownTool({
  name: 'next_question',
  scope: OWN_TOOL_SCOPE.next_question,
  title: 'Next question',
  description: `Hands you the oldest question that another agent put to you, quoted, with who asks and the chain it comes from; answer it with answer_question. It is handed to you alone; when you are silent for some minutes it goes to the next who asks for one. The result's _meta["${META.run}"] is a token: a request that carries it in its own _meta belongs to this question, and may do what everybody above you in the chain may do too; a request without it acts for you alone.`,
  input: z.strictObject({ wait_seconds: waitSecondsInput }),
  async run(context, { wait_seconds }) {
    const { deps, caller, waitBudgetMs, signal } = context;
    const next = await deps.nextQuestion(caller, { waitMs: waitMsOf(wait_seconds, waitBudgetMs), signal });
    if (!next.ok) return ownResult(notExecuted(next.error));
    const none = agentResult(agentText`No question waits for you.`, { structured: { consult: null } });
    return ownResult(await withNotes(context, next.value === null ? none : handedOut(next.value)));
  },
});

function handedOut(next: NextQuestion) {
  const { consult, runToken, asker, expiresAt, claims, chain } = next;
  const text = agentText`${token(asker.agent)}, acting for ${token(asker.principal)}, asks you (${token(consult)}, to be answered until ${token(expiresAt)}):
${quote(untrusted(next.question, { author: asker.agent, source: 'question' }))}
The chain that it comes from:
${joinTexts(chainTexts(next))}${claims > 1 ? earlierText(next) : agentText``}
Answer with answer_question {"consult": "${token(consult)}", "answer": …}. What you call for its sake carries this result's run token in _meta.`;
  return agentResult(text, {
    structured: {
      consult,
      run: runToken,
      asker,
      expiresAt,
      claims,
      chain: chain.map(({ run, agent, principal }) => ({ run, agent, principal })),
    },
    meta: { [META.run]: runToken, [META.consult]: { id: consult, state: 'claimed', expiresAt } },
  });
}

/** Every hop down to the asker, with the task or the question that started it; the last one is this question itself. */
const chainTexts = ({ chain }: NextQuestion): readonly AgentText[] =>
  chain.slice(0, -1).map(({ agent, principal, question }, place) => {
    const head = agentText`${place + 1}. ${token(agent)}, acting for ${token(principal)}`;
    if (question === null) return head;
    const author = place === 0 ? principal : (chain[place - 1]?.agent ?? principal);
    return agentText`${head}, on:\n${quote(untrusted(question, { author, source: place === 0 ? 'task' : 'question' }))}`;
  });

function earlierText({ claims, decisions }: NextQuestion): AgentText {
  const left = decisions.map(({ id, state }) => agentText`${token(id)} (${token(state)})`);
  const open = left.length === 0 ? agentText`It left no decisions behind.` : agentText`Its decisions so far: ${joinTexts(left, ', ')}.`;
  return agentText`\nThis question is handed out for the ${claims}. time: whoever had it before went silent. ${open} A call that was made already attaches to its decision when you make it again.`;
}
