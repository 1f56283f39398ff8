/**
 * Chains: what one agent may ask of another, and what is left to whoever is asked.
 *
 * H1 A chain has at most `depth` runs, and no agent stands in it twice: nobody waits for its own answer.
 * H2 What an agent may do in a chain is what every hop of it may do, worked out anew from the rows for every call.
 * H3 Nothing in a chain outlives what stands above it.
 */
import { fail, type Hop, ok, type Result, type Scope } from '@countersign/contracts';
import { effectiveScopes } from './permission.ts';

export type ChainLimits = {
  /** Runs in a chain, the root included. */
  readonly depth: number;
  /** Consults that one run may have open at a time. */
  readonly fanOut: number;
};

/**
 * Whether the last agent of a chain may ask another one (H1).
 * @param chain from the root down to the run that asks
 * @param open consults that this run has open now
 */
export function mayAsk(
  chain: readonly Hop[],
  asked: string,
  open: number,
  limits: ChainLimits,
): Result<null, 'consult.asks_itself' | 'consult.cycle' | 'consult.too_deep' | 'limit.reached'> {
  const asker = chain.at(-1)?.agent;
  if (asked === asker) return fail('consult.asks_itself', `${asked} can't ask itself.`);
  const names = [...chain.map((hop) => hop.agent), asked];
  if (chain.some((hop) => hop.agent === asked)) {
    return fail('consult.cycle', `${asked} waits for this answer itself (${names.join(' → ')}), so it can't be asked here.`, {
      chain: names,
    });
  }
  if (chain.length >= limits.depth) {
    const message = `This chain has ${chain.length} runs (${names.slice(0, -1).join(' → ')}), and ${limits.depth} is the most. Answer from here.`;
    return fail('consult.too_deep', message, { chain: names, depth: limits.depth });
  }
  if (open >= limits.fanOut) {
    return fail(
      'limit.reached',
      `${open} questions of this run are open already, and ${limits.fanOut} is the most. Wait for an answer first.`,
    );
  }
  return ok(null);
}

/** What one hop of a chain may do by itself: its lane and mandate, and the credential that it asked with (null: that narrows nothing). */
export type HopScopes = { readonly scopes: readonly Scope[]; readonly credentialScopes: readonly Scope[] | null };

/** The scopes of a caller within a chain: its own, and those of every hop above it (H2). */
export const scopesInChain = (own: readonly Scope[], above: readonly HopScopes[]): readonly Scope[] =>
  effectiveScopes({
    // `own` and every hop's `scopes` are bounded by their own lanes already.
    lane: 'principal',
    credentialScopes: own,
    mandateScopes: null,
    chainScopes: above.flatMap(({ scopes, credentialScopes }) => (credentialScopes ? [scopes, credentialScopes] : [scopes])),
  });

/** The earlier of a deadline and the one above it (H3). ISO 8601 UTC with milliseconds; null is no deadline. */
export const withinDeadline = (wanted: string, above: string | null): string => (above !== null && above < wanted ? above : wanted);
