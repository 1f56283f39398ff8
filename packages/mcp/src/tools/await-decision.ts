import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import * as z from 'zod';
import { answerOf } from '../endpoint/results.ts';
import { decisionFailure, decisionIdInput } from './decision-id.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const awaitDecision = ownTool({
  name: 'await_decision',
  scope: OWN_TOOL_SCOPE.await_decision,
  title: 'Await a decision',
  description:
    'Waits for the answer to a held call and returns the result of the call itself once it ran; otherwise says where it stands. It can be called again and again, and from another session. It waits no longer than whoami says, whatever wait_seconds is.',
  input: z.strictObject({
    id: decisionIdInput,
    wait_seconds: z.number().min(0).max(3600).optional().describe('How long to wait at most; 0 looks once'),
  }),
  async run({ deps, caller, era, list, waitBudgetMs, signal }, { id, wait_seconds }) {
    const waitMs = Math.min(waitBudgetMs, wait_seconds === undefined ? waitBudgetMs : wait_seconds * 1000);
    const end = await deps.awaitDecision(caller, id, { waitMs, signal });
    if (!end.ok) return ownResult(decisionFailure(end.error, id));
    const canRequestDecision = list.own.some(({ name }) => name === 'request_decision');
    if (end.value.kind === 'hidden') return ownResult(decisionFailure({ code: 'not_found', message: '' }, id));
    // This tool promises no structured content, so a pending result need not be an error.
    return answerOf(end.value, { era, caller, tool: 'await_decision', hasOutputSchema: false, canRequestDecision });
  },
});
