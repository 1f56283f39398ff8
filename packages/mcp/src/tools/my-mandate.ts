import { type Mandate, OWN_TOOL_SCOPE } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, token, visible } from '@countersign/core';
import * as z from 'zod';
import { agentResult, notExecuted } from '../endpoint/agent-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const myMandate = ownTool({
  name: 'my_mandate',
  scope: OWN_TOOL_SCOPE.my_mandate,
  title: 'My mandate',
  description:
    "Shows the terms you act under: your principal's scopes, the calls that need no question, and the budget. What no term covers is asked.",
  input: z.strictObject({}),
  async run({ deps, caller }) {
    const mandate = await deps.getMandate(caller);
    return ownResult(mandate.ok ? mandateResult(mandate.value) : notExecuted(mandate.error));
  },
});

/** A mandate in words. Its lines are the caller's own principal's, so they are not quoted. */
export function mandateResult(mandate: Mandate) {
  const terms = mandate.terms.map((term) => {
    const until = term.expires_at ? agentText`, until ${token(term.expires_at)}` : agentText``;
    const uses = term.uses === undefined ? agentText`` : agentText`, ${term.uses} times`;
    return agentText`- ${hostText(visible(term.tool))} when ${hostText(visible(term.when))}${until}${uses}`;
  });
  const text = agentText`Mandate version ${mandate.version}.
Scopes: ${mandate.scopes.length === 0 ? agentText`none` : joinTexts(mandate.scopes.map(token), ', ')}
Calls that need no question:
${terms.length === 0 ? agentText`- none` : joinTexts(terms)}
Budget: ${budgetText(mandate)}`;
  const { version, scopes, terms: lines, budget } = mandate;
  return agentResult(text, { structured: { version, scopes, terms: lines, budget: budget ?? null } });
}

const budgetText = ({ budget }: Mandate): AgentText =>
  budget ? agentText`${budget.usd} USD per ${token(budget.per)}` : agentText`none set`;
