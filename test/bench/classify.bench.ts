/**
 * How long one verdict takes, beside its floors, and whether rules for other tools cost anything.
 * Run: npx tsx --conditions=source test/bench/classify.bench.ts [--json]
 */
import { createHash } from 'node:crypto';
import { RuleConfig } from '@countersign/contracts';
import {
  bindingsOf,
  type CallFacts,
  classify,
  compileCel,
  compileMandate,
  compileRules,
  type GateContext,
  type Verdict,
} from '@countersign/core';

const ROUNDS = 7;
const CALLS = 40_000;
const MATCH = 'args.action == "eat"';

const facts: CallFacts = {
  tool: 'jar__cookie_jar',
  server: 'jar',
  name: 'cookie_jar',
  args: { action: 'eat', amount: 5, note: 'for tea' },
  agent: { name: 'walker', principal: 'ada', status: 'member' },
  chain: [{ run: 'run_1', agent: 'walker', principal: 'ada', question: null }],
  task: 'Eat five cookies.',
  now: '2026-11-30T12:00:00.000Z',
};

const digest = (value: unknown): `sha256:${string}` => `sha256:${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`;

const rule = (id: string, tool: string, match: string): RuleConfig =>
  RuleConfig.parse({ id, tool, when: 'the action is "eat"', match, reason: 'Cookies cannot be un-eaten.' });

function gateWith(otherRules: number): GateContext {
  const others = Array.from({ length: otherRules }, (_, place) =>
    rule(`other-${place}`, `other__tool_${place}`, `args.amount > ${place % 50}`),
  );
  const rules = compileRules([...others, rule('eat', facts.tool, MATCH)], { digest });
  const mandate = compileMandate('ada', 1, { scopes: ['tools:call'], terms: [{ tool: 'jar__*', when: 'anything in the jar' }] });
  if (!rules.ok || !mandate.ok) throw new Error('The benchmark does not compile.');
  return { rules: rules.value, mandates: [mandate.value], tool: { state: 'accepted' }, frozen: null, earlierNo: [] };
}

function programOf(source: string) {
  const compiled = compileCel(source, { kind: 'predicate' });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value;
}

const program = programOf(MATCH);
const bindings = bindingsOf(facts);
const closure = (args: unknown): boolean => (args as { readonly action?: unknown }).action === 'eat';
const gates = [10, 1000, 10_000].map((count) => ({ count, gate: gateWith(count) }));
const verdictOf = (gate: GateContext): Verdict => classify(facts, gate);

const subjects: readonly { readonly name: string; readonly run: () => unknown }[] = [
  { name: 'floor: a JavaScript closure', run: () => closure(facts.args) },
  { name: 'floor: one CEL evaluation', run: () => program.run(bindings) },
  ...gates.map(({ count, gate }) => ({ name: `classify, ${count} rules of other tools`, run: () => verdictOf(gate) })),
];

/** Microseconds per call. */
function timed(run: () => unknown): number {
  const start = performance.now();
  let kept: unknown;
  for (let call = 0; call < CALLS; call++) kept = run();
  const micros = ((performance.now() - start) * 1000) / CALLS;
  if (kept === undefined) throw new Error('nothing was computed');
  return micros;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

for (const { run } of subjects) timed(run); // warm
const samples = subjects.map((): number[] => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [place, { run }] of subjects.entries()) samples[place]?.push(timed(run));
}
const figures = subjects.map(({ name }, place) => ({
  name,
  micros: median(samples[place] ?? []),
  best: Math.min(...(samples[place] ?? [])),
}));
const [small, , large] = figures.slice(-3);
const growth = (large?.micros ?? 0) / (small?.micros ?? 1);

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ figures, growth }));
} else {
  for (const { name, micros, best } of figures)
    console.log(`${name.padEnd(42)} ${micros.toFixed(3).padStart(8)} µs   (best ${best.toFixed(3)})`);
  console.log(`10,000 rules against 10: ${growth.toFixed(2)} x (aim: at most 1.5); aim: under 5 µs with 10,000 rules loaded`);
}
