import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, quote, token, untrusted, visible } from '@countersign/core';
import type { JsonObject, MandateInForce, TermInForce } from '@countersign/engine';
import * as z from 'zod';
import { agentResult, notExecuted } from '../endpoint/agent-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const myMandate = ownTool({
  name: 'my_mandate',
  scope: OWN_TOOL_SCOPE.my_mandate,
  title: 'My mandate',
  description:
    'Shows the terms as they bind you at this moment: the scopes that hold, the calls that need no question with what is left of each, and the budget. What no term covers is asked of your principal.',
  input: z.strictObject({}),
  async run({ deps, caller }) {
    const mandate = await deps.describeMandate(caller);
    return ownResult(mandate.ok ? mandateResult(mandate.value) : notExecuted(mandate.error));
  },
});

/**
 * A mandate in words. What its terms say stands in a quotation: a term that was remembered from a call holds that call's arguments, which
 * an agent wrote.
 */
export function mandateResult(mandate: MandateInForce, before: AgentText = agentText``): JsonObject {
  const { principal, version, scopes, lane, terms, withheld, budget, alsoBoundBy } = mandate;
  const text = agentText`${before}Mandate of ${token(principal)}, version ${version}, for the lane ${token(lane)}.
Scopes that hold now: ${scopes.length === 0 ? agentText`none` : joinTexts(scopes.map(token), ', ')}${joinTexts(withheld.map(withheldText), '')}
Calls that need no question:
${terms.length === 0 ? agentText`- none` : joinTexts(terms.map(termText))}${terms.length === 0 ? agentText`` : agentText`\n${sayings(mandate)}`}
Budget: ${budget ? agentText`${budget.usd} USD per ${token(budget.per)}` : agentText`none set`}${joinTexts(alsoBoundBy.map(boundText), '')}`;
  return agentResult(text, {
    structured: {
      principal,
      version,
      lane,
      scopes,
      withheld,
      terms: terms.map(({ tool, state, expiresAt, uses }) => ({ tool, state, expiresAt, uses })),
      budget,
      alsoBoundBy,
    },
  });
}

const withheldText = ({ scope, by }: MandateInForce['withheld'][number]): AgentText =>
  by === 'lane'
    ? agentText`\n- ${token(scope)} is in the mandate, but not for this lane`
    : agentText`\n- ${token(scope)} is in the mandate, but this credential, or somebody above you in this run, does not have it`;

function termText({ tool, state, expiresAt, uses }: TermInForce, place: number): AgentText {
  const until = expiresAt === null ? agentText`` : agentText`, until ${token(expiresAt)}`;
  const left = uses === null ? agentText`` : agentText`, ${uses.left} of ${uses.limit} uses left`;
  // A tool pattern holds letters, digits and _ . * - and nothing else.
  return agentText`${place + 1}. ${hostText(visible(tool))}: ${hostText(state)}${left}${until}`;
}

function sayings({ principal, terms }: MandateInForce): AgentText {
  const lines = terms.map(({ when, match }, place) => `${place + 1}. when ${when}${match === null ? '' : `, that is: ${match}`}`);
  return quote(untrusted(lines.join('\n'), { author: principal, source: 'terms of a mandate' }));
}

const boundText = ({ principal, version, terms }: MandateInForce['alsoBoundBy'][number]): AgentText =>
  agentText`\nThis run is also bound by the mandate of ${token(principal)}, version ${version}, ${terms} terms: what they do not cover is asked of ${token(principal)}.`;
