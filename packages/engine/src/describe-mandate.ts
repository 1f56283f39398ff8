import { type Budget, fail, LANE_CEILING, type Lane, ok, type Result, Scope } from '@countersign/contracts';
import { hasEnded } from '@countersign/core';
import { findMandate } from '@countersign/store';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { usedTerms } from './term-uses.ts';

/** One term as it binds right now. */
export type TermInForce = {
  readonly tool: string;
  /** The principal's words. */
  readonly when: string;
  readonly match: string | null;
  readonly state: 'in force' | 'expired' | 'used up';
  readonly expiresAt: string | null;
  /** Null where any number of calls is covered. */
  readonly uses: { readonly limit: number; readonly left: number } | null;
};

export type MandateInForce = {
  readonly principal: string;
  readonly version: number;
  /** What holds now: this credential's ∩ the mandate's ∩ the lane's, and along a chain everybody's above. */
  readonly scopes: readonly Scope[];
  /** Scopes that the mandate has and that do not hold, each with what keeps it away. */
  readonly withheld: readonly { readonly scope: Scope; readonly by: 'lane' | 'credential or chain' }[];
  readonly lane: Lane;
  readonly terms: readonly TermInForce[];
  readonly budget: Budget | null;
  /** The other principals of the chain: what their terms do not cover is asked of them. How many terms, never which: they are theirs. */
  readonly alsoBoundBy: readonly { readonly principal: string; readonly version: number; readonly terms: number }[];
};

/** The terms as the caller is bound by them at this moment. */
export async function describeMandate(
  deps: EngineDeps,
  caller: Caller,
): Promise<Result<MandateInForce, 'credential.missing' | 'not_found'>> {
  const name = caller.principal?.name;
  if (name === undefined) return fail('credential.missing', 'A mandate belongs to a principal; this request came without one.');
  const mandate = await findMandate(deps.store.db, name);
  if (!mandate) return fail('not_found', `${name} has no mandate.`);
  const used = await usedTerms(deps.store.db, name, mandate.terms);
  const now = deps.now();
  const ceiling: readonly Scope[] = LANE_CEILING[caller.lane];
  const withheld = Scope.options
    .filter((scope) => mandate.scopes.includes(scope) && !caller.scopes.includes(scope))
    .map((scope) => ({ scope, by: ceiling.includes(scope) ? ('credential or chain' as const) : ('lane' as const) }));
  const terms = mandate.terms.map((term, place): TermInForce => {
    const left = term.uses === undefined ? null : Math.max(0, term.uses - (used[place] ?? 0));
    return {
      tool: term.tool,
      when: term.when,
      match: term.match ?? null,
      state: hasEnded(term, now) ? 'expired' : left === 0 ? 'used up' : 'in force',
      expiresAt: term.expires_at ?? null,
      uses: term.uses === undefined || left === null ? null : { limit: term.uses, left },
    };
  });
  const { version, budget = null } = mandate;
  const alsoBoundBy = await othersOf(deps, caller, name);
  return ok({ principal: name, version, scopes: caller.scopes, withheld, lane: caller.lane, terms, budget, alsoBoundBy });
}

async function othersOf(deps: EngineDeps, caller: Caller, own: string): Promise<MandateInForce['alsoBoundBy']> {
  const names = new Set(caller.run?.work.chain.map((hop) => hop.principal));
  names.delete(own);
  const others: { principal: string; version: number; terms: number }[] = [];
  for (const principal of names) {
    const mandate = await findMandate(deps.store.db, principal);
    others.push({ principal, version: mandate?.version ?? 0, terms: mandate?.terms.length ?? 0 });
  }
  return others;
}
