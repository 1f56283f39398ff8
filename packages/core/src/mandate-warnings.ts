import type { MandateTerms, Scope } from '@countersign/contracts';
import { hasEnded } from './mandate.ts';
import { matchesPattern } from './tool-pattern.ts';

/** What each scope is to an agent, for saying what its absence does. */
const WITHOUT: Partial<Record<Scope, string>> = {
  'directory:read': 'none of your agents can ask who it is here, or see the rules (whoami, list_agents, list_rules)',
  'tools:call': 'none of your agents can call a tool, whatever the terms say',
  'decisions:write':
    'none of your agents can fetch the result of a call that you approved, or put a question to you (await_decision, request_decision)',
};

/**
 * What a principal should hear about terms that are in force all the same: whom they lock out, itself included, and what in them can never
 * apply. `tools`: the keys of the tools that are known now.
 */
export function mandateWarnings({ scopes, terms }: MandateTerms, tools: readonly string[], now: string): readonly string[] {
  const locked = (Object.keys(WITHOUT) as Scope[])
    .filter((scope) => !scopes.includes(scope))
    .map((scope) => `Without ${scope}, ${WITHOUT[scope]}.`);
  const live = terms.filter((term) => !hasEnded(term, now));
  const closed =
    live.length === 0 ? ['No term is in force: every call of your agents, and every call of your own, becomes a question to you.'] : [];
  const each = terms.flatMap((term, place) => {
    if (!live.includes(term)) return `Term ${place + 1} (${term.tool}) expired at ${term.expires_at}: it covers nothing.`;
    const isKnown = tools.some((tool) => matchesPattern(term.tool, tool));
    return isKnown ? [] : `Term ${place + 1} names ${term.tool}, and no tool of that name is known here now.`;
  });
  return [...locked, ...closed, ...each];
}
