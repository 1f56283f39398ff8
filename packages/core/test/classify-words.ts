import { createHash } from 'node:crypto';
import { type Digest, type MandateTerms, RuleConfig, type Scope, type Term } from '@countersign/contracts';
import type { CallFacts } from '../src/call-facts.ts';
import { bindingsOf, type CelKind, type CelOutcome, compileCel } from '../src/cel.ts';
import { type CompiledMandate, compileMandate } from '../src/mandate.ts';
import { type CodeRule, compileRules, type RuleSet } from '../src/rules.ts';
import type { GateContext } from '../src/verdict.ts';

/** Keys in order: enough of a canonical form for tests. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort()
            .map(([key, item]) => [key, sorted(item)]),
        )
      : value;
export const digest = (value: unknown): Digest =>
  `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')}`;

/** A call of the cookie jar by ada's walker. */
export const aCall = (change: Partial<CallFacts> = {}): CallFacts => ({
  tool: 'jar__cookie_jar',
  server: 'jar',
  name: 'cookie_jar',
  args: {},
  agent: { name: 'walker', principal: 'ada', status: 'member' },
  chain: [{ run: 'run_1', agent: 'walker', principal: 'ada', question: null }],
  task: '',
  now: '2026-11-30T12:00:00.000Z',
  ...change,
});

/** A rule as the file spells it, with the file's own defaults. */
export const aRule = (change: Record<string, unknown> = {}): RuleConfig =>
  RuleConfig.parse({
    id: 'eat',
    tool: 'jar__cookie_jar',
    when: 'the action is "eat"',
    match: 'args.action == "eat"',
    reason: 'Cookies cannot be un-eaten.',
    ...change,
  });

export const aRuleSet = (...rules: readonly (RuleConfig | CodeRule)[]): RuleSet => {
  const compiled = compileRules(rules, { digest });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value;
};

export const terms = (list: readonly Partial<Term>[], scopes: readonly Scope[] = ['tools:call']): MandateTerms => ({
  scopes: [...scopes],
  terms: list.map((term) => ({ tool: '*', when: 'anything', ...term })),
});

export const aMandate = (principal: string, list: readonly Partial<Term>[] = [{}], spent: readonly number[] = []): CompiledMandate => {
  const compiled = compileMandate(principal, 1, terms(list), spent);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value;
};

/** A gate where ada allows everything and the host has no rules. */
export const aGate = (change: Partial<GateContext> = {}): GateContext => ({
  rules: aRuleSet(),
  mandates: [aMandate('ada')],
  tool: { state: 'accepted' },
  frozen: null,
  earlierNo: [],
  ...change,
});

/** Compiles and runs one expression over arguments. */
export function evaluate(
  source: string,
  args: unknown = {},
  kind: CelKind = 'predicate',
  change: Partial<CallFacts> = {},
): CelOutcome<unknown> {
  const compiled = compileCel(source, { kind });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value.run(bindingsOf(aCall({ args, ...change })));
}

/** `true`, `false`, a value, or `error`. */
export function said(source: string, args: unknown = {}, kind: CelKind = 'predicate', change: Partial<CallFacts> = {}): unknown {
  const outcome = evaluate(source, args, kind, change);
  return outcome.ok ? outcome.value : 'error';
}
