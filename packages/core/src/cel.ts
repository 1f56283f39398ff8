/**
 * Expressions of rules, terms, titles and costs: compiled once, evaluated often, never throwing.
 *
 * C1 What can be found wrong is found at load, with line and column; `compileCel` reports all of it at once.
 * C2 `run` is pure, synchronous and bounded, and answers with a value or with an error in words of ours. An error is never read as false.
 * C3 Patterns run in linear time (RE2 semantics). Numbers: every JSON number is a double; ints and doubles mix in arithmetic and compare
 *    by value, so `args.n + 1`, `5 > 4.5` and `double(args.amount) * 0.01` hold; `args.n / 2` is 2.5 for 5.
 * C4 `has(args.x)` is true where the key is there, null included.
 * C5 Variables: args; call {tool, server, name}; agent {name, principal, status}; chain [{agent, principal, question}]; task; now.
 */
import { type CelError, type CelInput, celEnv, celList, isCelError, isCelUint, parse, plan, unparse } from '@bufbuild/cel';
import { fail, ok, type Result } from '@countersign/contracts';
import { RE2JS } from 're2js';
import { argsOf, type CallFacts } from './call-facts.ts';
import { CEL_FUNCTIONS } from './cel-functions.ts';
import { type CelProblem, type Expr, lint } from './cel-lint.ts';
import { type Pin, pinsOf } from './cel-pins.ts';
import { strictForm, titleForm } from './cel-rewrite.ts';
import { CelFailure, charge, startWork, toCelMap } from './cel-values.ts';

export const MAX_SOURCE = 4096;
/** An expression that takes longer than this on the worst input is refused where a clock is given. Milliseconds. */
export const WORST_CASE_MS = 250;

/** `title` yields a text in which every value stands in ‹marks›. */
export type CelKind = 'predicate' | 'string' | 'number' | 'title';
type CelYield = { readonly predicate: boolean; readonly string: string; readonly number: number; readonly title: string };
export type CelOutcome<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

export type CelProgram<Kind extends CelKind = CelKind> = {
  readonly kind: Kind;
  readonly source: string;
  /** Names of the fields that it reads, anywhere. */
  readonly fields: readonly string[];
  /** Comparisons of arguments without which it can't say yes. */
  readonly pins: readonly Pin[];
  readonly run: (bindings: CelBindings) => CelOutcome<CelYield[Kind]>;
};

/** The variables of one call, made once and shared by all expressions that judge it. */
export type CelBindings = { readonly [variable: string]: CelInput };

/** Objects are converted where they are read, so this costs the same for small and large arguments. */
export const bindingsOf = (facts: CallFacts): CelBindings => new Bindings(facts) as unknown as CelBindings;

/** The engine reads variables as properties; getters on a prototype cost nothing for those that an expression does not read. */
class Bindings {
  readonly #facts: CallFacts;
  readonly args: CelInput;
  readonly task: string;
  readonly now: string;

  constructor(facts: CallFacts) {
    this.#facts = facts;
    this.args = toCelMap(argsOf(facts.args));
    this.task = facts.task;
    this.now = facts.now;
  }

  get call(): CelInput {
    const { tool, server, name } = this.#facts;
    return toCelMap({ tool, server, name });
  }

  get agent(): CelInput {
    const { name, principal, status } = this.#facts.agent;
    return toCelMap({ name, principal, status });
  }

  get chain(): CelInput {
    return celList(this.#facts.chain.map(({ agent, principal, question }) => toCelMap({ agent, principal, question })));
  }
}

const MAX_PATTERNS = 50_000;
const patterns = new Map<string, { test(text: string): boolean }>();

/** Patterns are literals (L3), so this holds what the loaded rules hold. `test` is charged, since it is the dearest thing an expression does. */
function compilePattern(pattern: string): { test(text: string): boolean } {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const engine = RE2JS.compile(pattern);
  const units = 2 + (pattern.length >> 5);
  const charged = {
    test: (text: string) => {
      charge(text.length * units);
      return engine.test(text);
    },
  };
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(pattern, charged);
  return charged;
}

const ENV = celEnv({ funcs: [...CEL_FUNCTIONS], re2: { compile: compilePattern } });

/**
 * Compiles one expression.
 * @param options.nowMs a monotonic clock; with it the expression is also timed on a synthetic worst case
 * @returns the program, or `rule.invalid` with `detail.problems: {message, line, column}[]`, lines and columns from 1
 */
export function compileCel<Kind extends CelKind>(
  source: string,
  options: { readonly kind: Kind; readonly nowMs?: () => number },
): Result<CelProgram<Kind>, 'rule.invalid'> {
  if (source.length > MAX_SOURCE) return invalid(source, [{ message: `longer than ${MAX_SOURCE} characters`, offset: 0 }]);
  const parsed = parseSource(source);
  if ('message' in parsed) return invalid(source, [parsed]);
  const { problems, fields } = lint(parsed.expr, parsed.sourceInfo?.positions ?? {});
  const wrongYield = yieldProblem(parsed.expr, options.kind);
  if (problems.length > 0) return invalid(source, problems);
  if (wrongYield !== undefined) return invalid(source, [wrongYield]);
  const program: CelProgram<Kind> = {
    kind: options.kind,
    source,
    fields,
    pins: pinsOf(parsed.expr),
    run: planned(source, parsed.expr, options.kind),
  };
  const ms = options.nowMs === undefined ? 0 : measureWorstCase(program, options.nowMs);
  if (ms > WORST_CASE_MS) {
    const message = `takes ${Math.round(ms)} ms on the worst input; at most ${WORST_CASE_MS} ms are allowed`;
    return invalid(source, [{ message, offset: 0 }]);
  }
  return ok(program);
}

function parseSource(source: string): ReturnType<typeof parse> | CelProblem {
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof RangeError) return { message: 'nested too deeply to be read', offset: 0 };
    const { message } = error instanceof Error ? error : { message: 'not an expression' };
    return { message: message.replace(/^<input>:\d+:\d+: /, '').slice(0, 200), offset: offsetOf(error) };
  }
}

function offsetOf(error: unknown): number {
  const location = (error as { location?: { start?: { offset?: unknown } } }).location;
  return typeof location?.start?.offset === 'number' ? location.start.offset : 0;
}

function invalid(source: string, problems: readonly CelProblem[]): Result<never, 'rule.invalid'> {
  const placed = problems.map(({ message, offset }) => ({ message, ...placeOf(source, offset) }));
  const [first] = placed;
  return fail('rule.invalid', `line ${first?.line}, column ${first?.column}: ${first?.message}`, { problems: placed });
}

function placeOf(source: string, offset: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const YIELDS: Readonly<Record<string, string>> = { boolValue: 'a boolean', stringValue: 'text', nullValue: 'null', bytesValue: 'bytes' };
const WANTED = { predicate: 'a boolean', string: 'text', title: 'text', number: 'a number' } as const;

/** Catches what can be told without running it: a literal, a list or a map where something else is wanted. */
function yieldProblem({ exprKind }: Expr, kind: CelKind): CelProblem | undefined {
  const yields =
    exprKind.case === 'constExpr'
      ? (YIELDS[exprKind.value.constantKind.case ?? ''] ?? 'a number')
      : exprKind.case === 'listExpr'
        ? 'a list'
        : exprKind.case === 'structExpr'
          ? 'a map'
          : WANTED[kind];
  return yields === WANTED[kind] ? undefined : { message: `yields ${yields}, where ${WANTED[kind]} is wanted`, offset: 0 };
}

function planned<Kind extends CelKind>(source: string, expr: Expr, kind: Kind): CelProgram<Kind>['run'] {
  const evaluate = plan(ENV, strictForm(kind === 'title' ? titleForm(expr) : expr));
  const explain = explainer(source);
  return (bindings) => {
    startWork();
    const outcome = evaluate(bindings);
    if (isCelError(outcome)) return { ok: false, error: explain(outcome) };
    const value = typeof outcome === 'bigint' || isCelUint(outcome) ? Number(isCelUint(outcome) ? outcome.value : outcome) : outcome;
    const isWanted = typeof value === TYPE_OF[kind];
    return isWanted ? { ok: true, value: value as CelYield[Kind] } : { ok: false, error: `it does not yield ${WANTED[kind]}` };
  };
}

const TYPE_OF = { predicate: 'boolean', string: 'string', title: 'string', number: 'number' } as const;

/**
 * Says what went wrong, in words that hold text from the expression and names of types, and nothing from the arguments: these words go
 * to people and to agents.
 */
function explainer(source: string): (error: CelError) => string {
  let nodes: ReadonlyMap<bigint, Expr> | undefined;
  return (error) => {
    nodes ??= nodesOf(source);
    const subject = subjectOf(nodes.get(error.exprId ?? -1n));
    const failure = error instanceof CelFailure ? error : error.cause;
    if (failure instanceof CelFailure) return `${subject} ${failure.message}`;
    if (error.message.startsWith('field not found')) return `${subject} is not there`;
    const types = /applied to '(?:([a-z_]+)(?:\(.*\))?\.)?\(([\w, .]*)\)'$/.exec(error.message)?.slice(1);
    if (types !== undefined) return `${subject} does not work on (${types.filter((type) => type !== undefined && type !== '').join(', ')})`;
    return /^index .* out of bounds/.test(error.message) ? `${subject} has no such item` : `${subject} could not be computed`;
  };
}

/** The text of the failing part where it is short and can be told; the engine names only the variable when `x[key]` fails. */
function subjectOf(node: Expr | undefined): string {
  if (node === undefined) return 'the expression';
  if (node.exprKind.case === 'identExpr') return `a part of \`${node.exprKind.value.name}\``;
  try {
    const text = unparse(node);
    return text.length > 80 ? `\`${text.slice(0, 80)}…\`` : `\`${text}\``;
  } catch {
    return 'the expression'; // list macros have no text of their own in the tree
  }
}

/** Every node as it was written, by id: the evaluated form has the same ids. Made when the first error needs it. */
function nodesOf(source: string): ReadonlyMap<bigint, Expr> {
  const nodes = new Map<bigint, Expr>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('exprKind' in value) nodes.set((value as Expr).id, value as Expr);
    for (const child of Object.values(value)) visit(child);
  };
  visit(parse(source).expr);
  return nodes;
}

/** Inputs that make an expression work: long text, long lists, lists of objects, each under every name that the expression reads. */
function worstArguments(fields: readonly string[]): readonly CelBindings[] {
  const text = 'a'.repeat(65_536);
  const short = Array.from({ length: 1000 }, () => 'a'.repeat(64));
  const under = (value: unknown): { readonly [field: string]: unknown } => Object.fromEntries(fields.map((field) => [field, value]));
  const objects = Array.from({ length: 1000 }, () => under('a'.repeat(64)));
  const shapes = [under(text), under(short), under(objects), under(under(text)), under(under(short)), under(7)];
  return shapes.map((args) => bindingsOf({ ...NO_CALL, args }));
}

const NO_CALL: CallFacts = {
  tool: 'a__a',
  server: 'a',
  name: 'a',
  args: {},
  agent: { name: 'a', principal: 'a', status: 'member' },
  chain: [],
  task: 'a '.repeat(2000),
  now: '2026-01-01T00:00:00.000Z',
};

/**
 * How long an expression takes on the worst of several synthetic inputs, in milliseconds: of two runs each, the shorter one counts, so
 * that a pause of the machine is not held against it.
 * @param nowMs a monotonic clock in milliseconds
 */
export function measureWorstCase(program: CelProgram, nowMs: () => number): number {
  const timed = (bindings: CelBindings): number => {
    const start = nowMs();
    program.run(bindings);
    return nowMs() - start;
  };
  return Math.max(0, ...worstArguments(program.fields).map((bindings) => Math.min(timed(bindings), timed(bindings))));
}
