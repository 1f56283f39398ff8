import { LANE_CEILING, OWN_TOOL_SCOPE, Scope } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, token, visible } from '@countersign/core';
import type { Caller } from '@countersign/engine';
import * as z from 'zod';
import { agentResult } from '../endpoint/agent-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const whoami = ownTool({
  name: 'whoami',
  scope: OWN_TOOL_SCOPE.whoami,
  title: 'Who am I here',
  description:
    'Says which lane this connection is in and why, for which principal it acts, which scopes it has and which are missing, how many tools it sees, and how long a held call waits.',
  input: z.strictObject({}),
  async run({ caller, list }) {
    const missing = Scope.options
      .filter((scope) => !caller.scopes.includes(scope))
      .map((scope) => ({ scope, why: whyMissing(caller, scope) }));
    const text = agentText`Lane: ${token(caller.lane)}. ${hostText(visible(caller.why))}
${identity(caller)}
Scopes: ${scopesText(caller.scopes)}
Tools: ${list.own.length} of this server's own, ${list.upstream.size} of upstream servers.
A held call waits ${caller.hold.waitMs / 1000} s (${caller.hold.waitWithProgressMs / 1000} s with a progress token) and then returns as pending; call await_decision with its id.
Missing: ${
      missing.length === 0
        ? agentText`nothing`
        : joinTexts(
            missing.map(({ scope, why }) => agentText`\n- ${token(scope)}: ${why}`),
            '',
          )
    }`;
    return ownResult(
      agentResult(text, {
        structured: {
          lane: caller.lane,
          why: visible(caller.why),
          agent: caller.agent?.name ?? null,
          status: caller.agent?.status ?? null,
          principal: caller.principal?.name ?? null,
          scopes: caller.scopes,
          missing: missing.map(({ scope, why }) => ({ scope, why: why.text })),
          tools: { own: list.own.length, upstream: list.upstream.size },
          hold: { waitSeconds: caller.hold.waitMs / 1000, waitWithProgressSeconds: caller.hold.waitWithProgressMs / 1000 },
        },
      }),
    );
  },
});

const scopesText = (scopes: readonly Scope[]): AgentText => (scopes.length === 0 ? agentText`none` : joinTexts(scopes.map(token), ', '));

function identity({ agent, principal }: Caller): AgentText {
  if (agent && principal)
    return agentText`You are the agent ${token(agent.name)} (${token(agent.status)}), acting for ${token(principal.name)}.`;
  if (principal) return agentText`You are the principal ${token(principal.name)}, calling by yourself.`;
  return agentText`You are nobody in particular: the request carried no credential.`;
}

function whyMissing(caller: Caller, scope: Scope): AgentText {
  if (scope === 'mandate:write' && caller.lane !== 'principal') {
    return agentText`never given to an agent: one that can change its terms does not act under terms`;
  }
  const ceiling: readonly Scope[] = LANE_CEILING[caller.lane];
  if (!ceiling.includes(scope)) {
    return caller.lane === 'anonymous' ? agentText`needs a credential` : agentText`needs a principal to admit this agent`;
  }
  return agentText`this credential or the principal's mandate does not have it`;
}
