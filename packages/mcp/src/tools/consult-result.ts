import { type Failure, META } from '@countersign/contracts';
import { type AgentText, agentText, quote, token, untrusted } from '@countersign/core';
import type { ConsultEnd, JsonObject } from '@countersign/engine';
import { agentError, agentResult, failureText, notExecuted } from '../endpoint/agent-result.ts';

/** How a question to another agent ended or where it stands, for the agent that asked it. What the other one wrote is quoted. */
export function consultResult(end: ConsultEnd): JsonObject {
  const { consult, agent, principal, state, expiresAt } = end;
  const structured = { consult, state, agent, principal, expiresAt };
  const meta = { [META.consult]: { id: consult, state, expiresAt } };
  switch (end.state) {
    case 'answered': {
      const answer = quote(untrusted(end.answer, { author: agent, source: 'answer' }));
      const text = agentText`${token(agent)}, acting for ${token(principal)}, answered ${token(consult)} at ${token(end.at)}:\n${answer}`;
      return agentResult(text, { structured: { ...structured, answeredAt: end.at }, meta });
    }
    case 'open':
    case 'claimed':
      return agentResult(pendingText(end), { structured, meta: { ...meta, [META.outcome]: { code: 'pending', consult } } });
    case 'withdrawn': {
      const why = quote(untrusted(end.reason, { author: end.by, source: 'reason' }));
      return agentError('withdrawn', agentText`Not answered (withdrawn): ${token(consult)} was taken back by ${token(end.by)}.\n${why}`, {
        consult,
      });
    }
    case 'expired': {
      const text = agentText`Not answered (expired): ${token(agent)} did not answer ${token(consult)} until ${token(expiresAt)}. You may ask anew.`;
      return agentError('expired', text, { consult });
    }
    default:
      return end satisfies never;
  }
}

function pendingText({ consult, agent, state, expiresAt }: ConsultEnd): AgentText {
  const stands = state === 'claimed' ? agentText`${token(agent)} is at work on it` : agentText`${token(agent)} has not taken it up yet`;
  return agentText`No answer yet: your question is open as ${token(consult)} until ${token(expiresAt)}, and ${stands}.
To get the answer, call ask_agent with {"consult": "${token(consult)}"}, at once or later, as often as needed and from any session. The same question again attaches to this one.
To take it back, add "withdraw" and say why.`;
}

/** An unknown consult and a foreign one answer with the same words, whatever the operation said. */
export function consultFailure(error: Failure, consult: string | undefined): JsonObject {
  if (error.code === 'not_found') return notExecuted({ code: 'not_found', message: `there is no consult ${consult ?? ''} of yours.` });
  return agentError('failed', agentText`Not done: ${failureText(error)}`, { error: error.code });
}
