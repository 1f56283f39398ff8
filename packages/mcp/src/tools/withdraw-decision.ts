import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, token } from '@countersign/core';
import * as z from 'zod';
import { agentResult } from '../endpoint/agent-result.ts';
import { decisionFailure, decisionIdInput } from './decision-id.ts';
import { decisionFacts } from './decision-text.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const withdrawDecision = ownTool({
  name: 'withdraw_decision',
  scope: OWN_TOOL_SCOPE.withdraw_decision,
  title: 'Withdraw a decision',
  description: 'Takes a question of yours back before it is answered: the held call is not executed. Ending a wait does not do that.',
  input: z.strictObject({ id: decisionIdInput, reason: z.string().min(1).max(1000).describe('Why it is no longer needed') }),
  async run({ deps, caller }, { id, reason }) {
    const withdrawn = await deps.withdrawDecision(caller, id, reason);
    if (!withdrawn.ok) return ownResult(decisionFailure(withdrawn.error, id));
    const mayHaveRun = withdrawn.value.outcome?.state === 'unknown';
    const stands = mayHaveRun ? agentText`It was sent before, and nobody knows what came of that.` : agentText`Nothing was executed.`;
    return ownResult(
      agentResult(agentText`${token(withdrawn.value.id)} is withdrawn. ${stands}`, {
        structured: decisionFacts(withdrawn.value),
      }),
    );
  },
});
