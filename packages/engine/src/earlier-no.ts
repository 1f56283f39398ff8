import { earlierRefusals } from '@countersign/store';
import type { EngineDeps } from './deps.ts';
import { digestOf } from './digest.ts';
import type { EarlierNo, Judgement, Work } from './judge.ts';

/** How long a "no" is remembered: long enough to stop an agent that asks again, short enough that a standing wish becomes a rule instead. */
const REMEMBERED_MS = 7 * 86_400_000;
export const rememberedSince = (now: string): string => new Date(Date.parse(now) - REMEMBERED_MS).toISOString();

/**
 * Earlier refusals that bear on this call: of the very same arguments, or under one of the same rules with others. `classify` turns the
 * first kind into a refusal with the earlier note and the second into a word on the card. A "no" to any agent of the chain counts, so that
 * passing a call on does not wash it off; one of a principal whom this call does not concern does not.
 */
export async function denialsOf(deps: EngineDeps, { chain }: Work, judgement: Judgement): Promise<EarlierNo> {
  const agents = chain.map((hop) => hop.agent);
  const concerned = new Set([...chain.map((hop) => hop.principal), ...judgement.verdict.grounds.flatMap((ground) => ground.answerBy)]);
  const all = await earlierRefusals(deps.store.db, agents, judgement.tool.key, rememberedSince(deps.now()));
  const refusals = all.filter((refusal) => concerned.has(refusal.by));
  const digest = digestOf(judgement.args);
  const rules = new Set(judgement.verdict.grounds.flatMap((ground) => ground.rule ?? []));
  return refusals
    .filter((refusal) => refusal.argsDigest === digest || refusal.rules.some((rule) => rules.has(rule)))
    .map((refusal) => ({ digestEquals: refusal.argsDigest === digest, note: refusal.note, at: refusal.at, asks: 1 }));
}
