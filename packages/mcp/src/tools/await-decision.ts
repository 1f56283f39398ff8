import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import * as z from 'zod';
import { answerOf } from '../endpoint/results.ts';
import { decisionFailure, decisionIdInput } from './decision-id.ts';
import { withNotes } from './notes.ts';
import { ownResult, ownTool } from './own-tool.ts';
import { waitMsOf, waitSecondsInput } from './wait-seconds.ts';

export const awaitDecision = ownTool({
  name: 'await_decision',
  scope: OWN_TOOL_SCOPE.await_decision,
  title: 'Await a decision',
  description:
    'Waits for the answer to a held call and returns the result of the call itself once it ran; otherwise says where it stands. It can be called again and again, and from another session. It waits no longer than whoami says, whatever wait_seconds is.',
  input: z.strictObject({
    id: decisionIdInput,
    wait_seconds: waitSecondsInput,
  }),
  async run(context, { id, wait_seconds }) {
    const { deps, caller, era, list, waitBudgetMs, signal } = context;
    const end = await deps.awaitDecision(caller, id, { waitMs: waitMsOf(wait_seconds, waitBudgetMs), signal });
    if (!end.ok) return ownResult(decisionFailure(end.error, id));
    const canRequestDecision = list.own.some(({ name }) => name === 'request_decision');
    if (end.value.kind === 'hidden') return ownResult(decisionFailure({ code: 'not_found', message: '' }, id));
    // This tool promises no structured content, so a pending result need not be an error.
    const answer = answerOf(end.value, { era, caller, tool: 'await_decision', hasOutputSchema: false, canRequestDecision });
    // An upstream's own result is passed on as it came, with nothing of ours in it.
    if (end.value.kind === 'reply' || answer.kind !== 'result') return answer;
    return ownResult(await withNotes(context, answer.result));
  },
});
