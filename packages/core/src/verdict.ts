/**
 * The gate: between "the model picked a tool" and "the tool ran" stands `classify`.
 *
 * V1 Pure and synchronous. It reads the call, the host's rules and the mandates of the chain, and nothing that a tool says of itself.
 * V2 The strictest effect wins: refuse over ask over allow. Every ground is kept; grounds in shadow mode are kept and count for nothing.
 * V3 What can't be evaluated is dangerous: a rule applies with its own effect, a term does not cover.
 * V4 Adding a rule never loosens a verdict, and the order of rules never changes the effect.
 * V5 Every principal of the chain must cover the call. A mandate that is not at hand covers nothing, so delegating never widens.
 * V6 A ground belongs to principals: a rule's to its `answer_by`, else to the agent's principal; a missing term to whom it is missing from.
 *    Grounds that only add to others (a like "no" before, the freeze) belong to those whom the others already ask.
 * V7 Arguments are `unknown`; what is not an object counts as `{}`.
 */
import { type Effect, type Ground, type TryReport, visibleLine } from '@countersign/contracts';
import type { CallFacts } from './call-facts.ts';
import { bindingsOf, type CelBindings } from './cel.ts';
import { type CompiledMandate, type ConsiderTerm, covers } from './mandate.ts';
import type { Reading, Rule, RuleSet } from './rules.ts';
import { clip } from './untrusted.ts';

/** An earlier refusal by a person of this call (`digestEquals`) or of one like it. */
export type EarlierNo = {
  readonly digestEquals: boolean;
  readonly note: string | null;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** How often it was asked again since. */
  readonly asks: number;
};

export type GateContext = {
  readonly rules: RuleSet;
  /** The agent's principal first, then every ancestor's. */
  readonly mandates: readonly CompiledMandate[];
  readonly tool: { readonly state: 'accepted' | 'quarantined'; readonly reason?: string };
  readonly frozen: { readonly by: string; readonly reason: string } | null;
  readonly earlierNo: readonly EarlierNo[];
  /** Grounds of kind `spend`, from the spend gate. */
  readonly spend?: readonly Ground[];
};

export type Verdict = {
  readonly effect: Effect;
  /** The strictest first, enforced before shadow, otherwise in evaluation order. */
  readonly grounds: readonly Ground[];
  /** Which term of each mandate covers the call; the places that a use is counted against. */
  readonly covered: readonly { readonly principal: string; readonly version: number; readonly term: number }[];
};

type Considered = TryReport['considered'][number];
const DAY_MS = 86_400_000;

/** Judges one call. */
export const classify = (facts: CallFacts, context: GateContext): Verdict => weigh(facts, context);

/** The same judgement with every rule and term that was looked at, and what it said. */
export function explain(facts: CallFacts, context: GateContext): Omit<TryReport, 'schemaProblem'> {
  const considered: Considered[] = [];
  const { effect, grounds } = weigh(facts, context, (item) => considered.push(item));
  return { effect, grounds: [...grounds], considered };
}

function weigh(facts: CallFacts, context: GateContext, consider?: (item: Considered) => void): Verdict {
  const bindings = bindingsOf(facts);
  const grounds: Ground[] = [];
  for (const rule of context.rules.for(facts.tool, plainKey(facts))) {
    const reading = rule.read(facts, bindings);
    consider?.({ kind: 'rule', id: rule.id, when: rule.when, said: reading.said, detail: detailOf(reading) });
    if (reading.said !== 'does not match') grounds.push(ruleGround(rule, reading, facts.agent.principal));
  }
  const covered = weighMandates(facts, context.mandates, bindings, grounds, consider);
  if (context.spend !== undefined) grounds.push(...context.spend);
  if (context.tool.state === 'quarantined') {
    const reason = context.tool.reason ?? 'Its definition changed and nobody accepted the new one yet.';
    grounds.push(ground('tool', 'ask', reason, [facts.agent.principal]));
  }
  weighEarlierNo(facts, context.earlierNo, grounds);
  if (context.frozen !== null) {
    const reason = `The host was frozen by ${context.frozen.by}: ${context.frozen.reason}`;
    grounds.push({ ...routeOf(grounds, facts), ...bare('frozen', 'ask', reason) });
  }
  return { effect: strictest(grounds), grounds: inOrder(grounds), covered };
}

const plainKey = ({ server, name }: CallFacts): string => `${server}__${name}`;
const detailOf = (reading: Reading): string | null => ('detail' in reading ? reading.detail : null);

function ruleGround(rule: Rule, reading: Reading, principal: string): Ground {
  const unevaluable = detailOf(reading);
  return {
    kind: 'rule',
    effect: rule.effect,
    reason:
      unevaluable === null
        ? rule.reason
        : `Could not evaluate "${rule.when}" (${unevaluable}), so it is treated as dangerous. ${rule.reason}`,
    rule: rule.id,
    when: rule.when,
    answerBy: rule.answerBy ?? [principal],
    needs: rule.needs,
    expiresMs: rule.expiresMs,
    irreversible: rule.irreversible,
    mode: rule.mode,
    ...(rule.remindMs === null ? {} : { remindMs: rule.remindMs }),
    ...(unevaluable === null ? {} : { unevaluable }),
  };
}

/** V5: every mandate must cover, and every principal of the chain must have one here. */
function weighMandates(
  facts: CallFacts,
  mandates: readonly CompiledMandate[],
  bindings: CelBindings,
  grounds: Ground[],
  consider?: (item: Considered) => void,
): Verdict['covered'] {
  const covered: Verdict['covered'][number][] = [];
  for (const mandate of mandates) {
    const { principal, version } = mandate;
    const tell: ConsiderTerm | undefined =
      consider &&
      ((term, { said }, detail) => consider({ kind: 'term', id: `${principal}#${term.index + 1}`, when: term.when, said, detail }));
    const coverage = covers(mandate, facts, bindings, tell);
    if (coverage.covered) covered.push({ principal, version, term: coverage.term });
    else grounds.push(ground('term', 'ask', coverage.missing, [principal]));
  }
  for (const principal of principalsWithout(mandates, facts)) {
    grounds.push(ground('term', 'ask', `${principal}'s mandate is not at hand, so it covers nothing.`, [principal]));
  }
  return covered;
}

/** Those of the chain whose mandate was not handed over, each once. */
function principalsWithout(mandates: readonly CompiledMandate[], facts: CallFacts): readonly string[] {
  const missing: string[] = [];
  let { principal } = facts.agent;
  for (let hop = -1; hop < facts.chain.length; hop++) {
    principal = facts.chain[hop]?.principal ?? principal;
    if (!missing.includes(principal) && !mandates.some((mandate) => mandate.principal === principal)) missing.push(principal);
  }
  return missing;
}

/** The same call again is refused with the earlier note; a like one, where it is asked anyway, shows how often it was. */
function weighEarlierNo(facts: CallFacts, earlierNo: readonly EarlierNo[], grounds: Ground[]): void {
  if (earlierNo.length === 0) return;
  const same = earlierNo.find((no) => no.digestEquals);
  if (same !== undefined) {
    grounds.push(ground('earlier_no', 'refuse', `The same call was refused at ${same.at}${noteOf(same)}.`, [facts.agent.principal]));
  }
  const alike = earlierNo.filter((no) => !no.digestEquals);
  const [latest] = [...alike].sort((a, b) => (a.at < b.at ? 1 : -1));
  if (latest === undefined || strictest(grounds) !== 'ask') return;
  const asks = alike.reduce((sum, no) => sum + no.asks, 0);
  const times = asks === 1 ? 'once' : `${asks} times`;
  const reason = `A like call was refused at ${latest.at}${noteOf(latest)}; asked ${times} since that "no".`;
  grounds.push({ ...routeOf(grounds, facts), ...bare('earlier_no', 'ask', reason) });
}

const noteOf = (no: EarlierNo): string =>
  no.note === null || no.note === '' ? '' : `, with the note “${visibleLine(clip(no.note, 500))}”`;

const bare = (kind: Ground['kind'], effect: Ground['effect'], reason: string) => ({ kind, effect, reason, mode: 'enforce' as const });

type Route = Pick<Ground, 'answerBy' | 'needs' | 'expiresMs' | 'irreversible'>;

const ground = (kind: Ground['kind'], effect: Ground['effect'], reason: string, answerBy: readonly string[]): Ground => ({
  ...bare(kind, effect, reason),
  answerBy,
  needs: 1,
  expiresMs: DAY_MS,
  irreversible: false,
});

/** V6: the first enforced ground's route, else the agent's principal. */
function routeOf(grounds: readonly Ground[], facts: CallFacts): Route {
  const first = grounds.find((other) => other.mode === 'enforce');
  if (first === undefined) return { answerBy: [facts.agent.principal], needs: 1, expiresMs: DAY_MS, irreversible: false };
  return { answerBy: first.answerBy, needs: first.needs, expiresMs: first.expiresMs, irreversible: first.irreversible };
}

const strictest = (grounds: readonly Ground[]): Effect => {
  const enforced = grounds.filter((one) => one.mode === 'enforce');
  if (enforced.some((one) => one.effect === 'refuse')) return 'refuse';
  return enforced.length > 0 ? 'ask' : 'allow';
};

const rankOf = (one: Ground): number => (one.mode === 'shadow' ? 2 : 0) + (one.effect === 'ask' ? 1 : 0);
const inOrder = (grounds: readonly Ground[]): readonly Ground[] =>
  grounds.length < 2 ? grounds : [...grounds].sort((a, b) => rankOf(a) - rankOf(b));

/**
 * The headline of a decision: the title of the first rule among the grounds that has one and yields text, its values in ‹marks›.
 * Null where there is none.
 */
export function titleFor(rules: RuleSet, grounds: readonly Ground[], facts: CallFacts): string | null {
  const bindings = bindingsOf(facts);
  for (const one of grounds) {
    const rule = one.mode === 'enforce' ? rules.for(facts.tool, plainKey(facts)).find((candidate) => candidate.id === one.rule) : undefined;
    const outcome = rule?.title?.run(bindings);
    if (outcome?.ok === true && outcome.value !== '') return clip(outcome.value, 300);
  }
  return null;
}
