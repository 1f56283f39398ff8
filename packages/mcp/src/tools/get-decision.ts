import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import * as z from 'zod';
import { agentResult } from '../endpoint/agent-result.ts';
import { decisionFailure, decisionIdInput } from './decision-id.ts';
import { decisionFacts, decisionText } from './decision-text.ts';
import { withNotes } from './notes.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const getDecision = ownTool({
  name: 'get_decision',
  scope: OWN_TOOL_SCOPE.get_decision,
  title: 'Get a decision',
  description:
    'Shows one decision: why it was raised, who answers, the exact arguments, the chain, the answers and the outcome. It does not wait; await_decision does.',
  input: z.strictObject({ id: decisionIdInput }),
  async run(context, { id }) {
    const { deps, caller } = context;
    const decision = await deps.getDecision(caller, id);
    if (!decision.ok) return ownResult(decisionFailure(decision.error, id));
    const result = agentResult(decisionText(decision.value, caller), { structured: decisionFacts(decision.value) });
    return ownResult(await withNotes(context, result));
  },
});
