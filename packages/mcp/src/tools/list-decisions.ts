import { DecisionQuery, DecisionStatus, OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, joinTexts } from '@countersign/core';
import * as z from 'zod';
import { agentResult, notExecuted } from '../endpoint/agent-result.ts';
import { decisionFacts, decisionLine } from './decision-text.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const listDecisions = ownTool({
  name: 'list_decisions',
  scope: OWN_TOOL_SCOPE.list_decisions,
  title: 'List decisions',
  description:
    'Lists the decisions that your calls raised, newest first unless sorted by deadline; for a principal also those it may answer.',
  input: z.strictObject({
    state: z.array(DecisionStatus).min(1).optional(),
    tool: z.string().max(120).optional(),
    sort: z.enum(['age', 'deadline']).default('age'),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(500).optional().describe('`nextCursor` of the page before'),
  }),
  async run({ deps, caller }, input) {
    const page = await deps.listDecisions(caller, DecisionQuery.parse(input));
    if (!page.ok) return ownResult(notExecuted(page.error));
    const { items, nextCursor } = page.value;
    const more = nextCursor === null ? agentText`` : agentText`\nThere are more: pass nextCursor as cursor.`;
    return ownResult(
      agentResult(items.length === 0 ? agentText`No decisions.` : agentText`${joinTexts(items.map(decisionLine))}${more}`, {
        structured: { items: items.map(decisionFacts), nextCursor },
      }),
    );
  },
});
