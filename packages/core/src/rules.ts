/**
 * The host's rules, compiled.
 *
 * R1 Rules are evaluated in the order of the file, and every rule that can apply is evaluated: no rule hides another.
 * R2 A rule that can't be evaluated (a missing field, null, another type, a throw, no boolean) applies, with its own effect.
 * R3 The cost of a call does not grow with rules for other tools.
 * R4 `digest` changes with every rule, `digestFor` only with rules that can apply to that tool.
 * R5 A tool whose key is an alias (its own name is too long, or holds a dot) is named by its rules under either: what a rule was written for
 *    is not dodged by how agents see it.
 */
import { type Digest, fail, ok, type Result, type RuleConfig } from '@countersign/contracts';
import { argsOf, type CallFacts, type JsonObject } from './call-facts.ts';
import { type CelBindings, type CelProgram, compileCel } from './cel.ts';
import { indexByTool } from './tool-pattern.ts';

/** What a predicate said about one call. `detail` holds words of ours only. */
export type Reading =
  | { readonly said: 'matches' | 'does not match' }
  | { readonly said: 'could not be evaluated'; readonly detail: string };

export type Rule = {
  readonly id: string;
  readonly tool: string;
  readonly when: string;
  readonly reason: string;
  readonly effect: 'ask' | 'refuse';
  readonly expiresMs: number;
  /** Null: the principal of the agent that calls. */
  readonly answerBy: readonly string[] | null;
  readonly needs: number;
  readonly mode: 'enforce' | 'shadow';
  readonly remindMs: number | null;
  readonly irreversible: boolean;
  /** CEL; null where the rule always matches; `(in code)` for a code rule. */
  readonly match: string | null;
  readonly title: CelProgram<'title'> | null;
  readonly read: (facts: CallFacts, bindings: CelBindings) => Reading;
};

export type RuleSet = {
  /** In evaluation order. */
  readonly rules: readonly Rule[];
  /** Over the whole file. */
  readonly digest: Digest;
  /** The rules that can apply to a tool, in evaluation order. `plain`: `server__name` as the upstream spells it (R5). */
  readonly for: (toolKey: string, plain?: string) => readonly Rule[];
  /** Over those rules only: what a dispatch compares. */
  readonly digestFor: (toolKey: string, plain?: string) => Digest;
};

/** A rule in TypeScript, from `ruleFromCode`. */
export type CodeRule = { readonly config: RuleConfig; readonly matches: (args: JsonObject) => boolean; readonly version: string };

export type RuleProblem = {
  /** Place in the list, from 0. */
  readonly index: number;
  readonly id: string;
  readonly field: 'id' | 'match' | 'title';
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
};

const MATCHES: Reading = { said: 'matches' };
const DOES_NOT: Reading = { said: 'does not match' };
const DAY_MS = 86_400_000;
const IN_CODE = '(in code)';

/**
 * A rule in TypeScript, with the same meaning as one in the file. `matches` gets the arguments, `{}` where they are no object; a throw or
 * anything but a boolean counts as a match (R2). A function has no digest: change `version` when its meaning changes.
 */
export function ruleFromCode(
  rule: Pick<RuleConfig, 'id' | 'tool' | 'when' | 'reason'> & {
    readonly matches: (args: JsonObject) => boolean;
    readonly version?: string;
  } & Partial<Omit<RuleConfig, 'match'>>,
): CodeRule {
  const { matches, version = '1', ...fields } = rule;
  const defaults = { effect: 'ask', expires: DAY_MS, needs: 1, mode: 'enforce', irreversible: false } as const;
  return { config: { ...defaults, ...fields }, matches, version };
}

/**
 * Compiles a file of rules; code rules may stand among them.
 * @param deps.digest hashes a JSON value (RFC 8785, SHA-256); `nowMs`, where given, also times every predicate on a worst case
 * @returns the set, or `rule.invalid` with every problem in `detail.problems` ({@link RuleProblem})
 */
export function compileRules(
  configs: readonly (RuleConfig | CodeRule)[],
  deps: { readonly digest: (value: unknown) => Digest; readonly nowMs?: () => number },
): Result<RuleSet, 'rule.invalid'> {
  const problems: RuleProblem[] = [];
  const seen = new Set<string>();
  const compile = cachedCompile(deps.nowMs);
  const rules = configs.map((given, index) => {
    const config = 'matches' in given ? given.config : given;
    const report = (problem: Omit<RuleProblem, 'index' | 'id'>): void => {
      problems.push({ index, id: config.id, ...problem });
    };
    if (seen.has(config.id)) report({ field: 'id', message: `the id \`${config.id}\` is taken by an earlier rule` });
    seen.add(config.id);
    const title = config.title === undefined ? null : compile(config.title, 'title', report);
    if ('matches' in given) return toRule(config, IN_CODE, title, readCode(given.matches));
    const program = config.match === undefined ? null : compile(config.match, 'predicate', report);
    return toRule(config, config.match ?? null, title, program === null ? () => MATCHES : readCel(program));
  });
  const [first] = problems;
  if (first !== undefined) {
    const place = first.line === undefined ? '' : ` at line ${first.line}, column ${first.column}`;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    return fail('rule.invalid', `rule \`${first.id}\`, ${first.field}${place}: ${first.message}${more}`, { problems });
  }
  return ok(ruleSetOf(rules, configs.map(digestible), deps.digest));
}

type Report = (problem: Omit<RuleProblem, 'index' | 'id'>) => void;

/** The same expression in many rules is compiled once. */
function cachedCompile(nowMs: (() => number) | undefined) {
  const cache = new Map<string, ReturnType<typeof compileCel>>();
  return <Kind extends 'predicate' | 'title'>(source: string, kind: Kind, report: Report): CelProgram<Kind> | null => {
    const key = `${kind} ${source}`;
    const outcome = cache.get(key) ?? compileCel(source, nowMs === undefined ? { kind } : { kind, nowMs });
    cache.set(key, outcome);
    if (outcome.ok) return outcome.value as CelProgram<Kind>;
    const found = outcome.error.detail?.problems as readonly { message: string; line: number; column: number }[];
    for (const problem of found) report({ field: kind === 'title' ? 'title' : 'match', ...problem });
    return null;
  };
}

const readCel =
  (program: CelProgram<'predicate'>): Rule['read'] =>
  (_facts, bindings) => {
    const outcome = program.run(bindings);
    if (!outcome.ok) return { said: 'could not be evaluated', detail: outcome.error };
    return outcome.value ? MATCHES : DOES_NOT;
  };

const readCode =
  (matches: CodeRule['matches']): Rule['read'] =>
  (facts) => {
    try {
      const outcome: unknown = matches(argsOf(facts.args));
      if (typeof outcome === 'boolean') return outcome ? MATCHES : DOES_NOT;
      return { said: 'could not be evaluated', detail: 'its code does not yield a boolean' };
    } catch {
      return { said: 'could not be evaluated', detail: 'its code threw' };
    }
  };

const toRule = (config: RuleConfig, match: string | null, title: CelProgram<'title'> | null, read: Rule['read']): Rule => ({
  id: config.id,
  tool: config.tool,
  when: config.when,
  reason: config.reason,
  effect: config.effect,
  expiresMs: config.expires,
  answerBy: config.answer_by ?? null,
  needs: config.needs,
  mode: config.mode,
  remindMs: config.remind_after ?? null,
  irreversible: config.irreversible,
  match,
  title,
  read,
});

const digestible = (given: RuleConfig | CodeRule): JsonObject =>
  'matches' in given ? { ...withoutUndefined(given.config), code: given.version } : withoutUndefined(given);

const withoutUndefined = (config: RuleConfig): JsonObject =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));

function ruleSetOf(rules: readonly Rule[], content: readonly JsonObject[], digest: (value: unknown) => Digest): RuleSet {
  const rulesFor = byEitherName(indexByTool(rules), (rule) => rules.indexOf(rule));
  const placed = content.map((config, place) => ({ tool: String(config.tool), config, place }));
  const contentFor = byEitherName(indexByTool(placed), ({ place }) => place);
  const digests = new WeakMap<readonly unknown[], Digest>();
  return {
    rules,
    digest: digest(content),
    for: rulesFor,
    digestFor: (toolKey, plain) => {
      const applying = contentFor(toolKey, plain);
      const known = digests.get(applying) ?? digest(applying.map(({ config }) => config));
      digests.set(applying, known);
      return known;
    },
  };
}

/** A look-up by the key of a tool that also finds what names it by its own name; the order of the items is kept (R5). */
function byEitherName<Item>(lookUp: (toolKey: string) => readonly Item[], placeOf: (item: Item) => number) {
  const merged = new WeakMap<readonly Item[], Map<string, readonly Item[]>>();
  return (toolKey: string, plain = toolKey): readonly Item[] => {
    const byKey = lookUp(toolKey);
    if (plain === toolKey) return byKey;
    const known = merged.get(byKey) ?? new Map<string, readonly Item[]>();
    merged.set(byKey, known);
    const both = known.get(plain) ?? merge(byKey, lookUp(plain), placeOf);
    known.set(plain, both);
    return both;
  };
}

function merge<Item>(some: readonly Item[], others: readonly Item[], placeOf: (item: Item) => number): readonly Item[] {
  const more = others.filter((item) => !some.includes(item));
  return more.length === 0 ? some : [...some, ...more].sort((a, b) => placeOf(a) - placeOf(b));
}
