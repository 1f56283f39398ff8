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
    'Says which lane this connection is in and why, for which principal it acts, which scopes it has and which are missing, how long its credential is good, how many tools it sees, and how long a held call waits.',
  input: z.strictObject({}),
  async run({ caller, list }) {
    const missing = Scope.options
      .filter((scope) => !caller.scopes.includes(scope))
      .map((scope) => ({ scope, ...whyMissing(caller, scope) }));
    const text = agentText`Lane: ${token(caller.lane)}. ${hostText(visible(caller.why))}
${identity(caller)}${runText(caller)}${expiryText(caller)}
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
          ...(caller.run && { run: { consult: caller.run.consult, id: caller.run.work.run } }),
          credential: caller.credential && { kind: caller.credential.kind, expiresAt: caller.credential.expiresAt },
          scopes: caller.scopes,
          missing: missing.map(({ scope, by, why }) => ({ scope, by, why: why.text })),
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

function runText({ run }: Caller): AgentText {
  if (!run) return agentText``;
  const above = joinTexts(
    run.work.chain.map((hop) => token(hop.agent)),
    ' → ',
  );
  return agentText`\nThis request is within the run of ${token(run.consult)} (${above}): the scopes are what all of them may do.`;
}

function expiryText({ credential }: Caller): AgentText {
  if (!credential) return agentText``;
  return credential.expiresAt === null
    ? agentText` Your credential is good until it is revoked.`
    : agentText` Your credential is good until ${token(credential.expiresAt)}.`;
}

/** What keeps a scope away: `lane`, the principal's `mandate`, or the `credential` (in a question's run, also a mandate above it). */
function whyMissing(caller: Caller, scope: Scope): { readonly by: 'lane' | 'mandate' | 'credential'; readonly why: AgentText } {
  if (scope === 'mandate:write' && caller.lane !== 'principal') {
    return { by: 'lane', why: agentText`never given to an agent: one that can change its terms does not act under terms` };
  }
  const ceiling: readonly Scope[] = LANE_CEILING[caller.lane];
  if (!ceiling.includes(scope)) {
    const why = caller.lane === 'anonymous' ? agentText`needs a credential` : agentText`needs a principal to admit this agent`;
    return { by: 'lane', why };
  }
  if (caller.agent && caller.principal && !caller.mandate?.scopes.includes(scope)) {
    return { by: 'mandate', why: agentText`the mandate of ${token(caller.principal.name)} does not have it` };
  }
  const why = caller.run
    ? agentText`this credential, or a mandate above you in the chain, does not have it`
    : agentText`this credential was issued without it`;
  return { by: 'credential', why };
}
