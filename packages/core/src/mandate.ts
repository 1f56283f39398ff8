/**
 * A principal's mandate: what agents may do without asking that person.
 *
 * M1 A call is covered only by a term that names its tool, is in force, and whose predicate says yes. A term that has expired, is used up
 *    or can't be evaluated covers nothing.
 * M2 What `narrowTerm` writes covers the call it was made from and no call that differs in any argument, absent ones included.
 * M3 A term of limited uses covers only what no other term does: nothing is counted that need not be.
 * M4 `compareMandates` says `narrowed` or `widened` only where that is certain.
 */
import { fail, type MandateTerms, ok, type Result, type Scope, type Term } from '@countersign/contracts';
import { argsOf, type CallFacts } from './call-facts.ts';
import { bindingsOf, type CelBindings, type CelProgram, compileCel } from './cel.ts';
import type { Reading } from './rules.ts';
import { candidatesAmong } from './term-index.ts';
import { indexByTool, isPatternWithin } from './tool-pattern.ts';

type CompiledTerm = {
  readonly tool: string;
  readonly when: string;
  /** Place in the mandate, from 0. */
  readonly index: number;
  readonly program: CelProgram<'predicate'> | null;
  readonly expiresAt: string | null;
  readonly isLimited: boolean;
  readonly isSpent: boolean;
};

export type CompiledMandate = {
  readonly principal: string;
  readonly version: number;
  readonly scopes: readonly Scope[];
  readonly terms: readonly Term[];
  readonly for: (toolKey: string) => readonly CompiledTerm[];
};

export type Coverage = { readonly covered: true; readonly term: number } | { readonly covered: false; readonly missing: string };
/** Told about each term that was looked at. */
export type ConsiderTerm = (term: { readonly index: number; readonly when: string }, reading: Reading, detail: string | null) => void;

/** A mistake in a term's expression; `index` from 0, line and column from 1. */
type TermProblem = {
  readonly index: number;
  readonly field: 'match';
  readonly message: string;
  readonly line: number;
  readonly column: number;
};
const SHOWN_PROBLEMS = 5;

/**
 * @param spent places of terms whose `uses` are used up; the store counts them
 * @returns the mandate, or `mandate.invalid` with `detail.problems: {index, field, message, line, column}[]`
 */
export function compileMandate(
  principal: string,
  version: number,
  { scopes, terms }: MandateTerms,
  spent: readonly number[] = [],
): Result<CompiledMandate, 'mandate.invalid'> {
  const problems: TermProblem[] = [];
  const compiled = terms.map((term, index): CompiledTerm => {
    const outcome = term.match === undefined ? null : compileCel(term.match, { kind: 'predicate' });
    if (outcome?.ok === false) {
      const found = outcome.error.detail?.problems as readonly Omit<TermProblem, 'index' | 'field'>[];
      problems.push(...found.map((problem) => ({ index, field: 'match' as const, ...problem })));
    }
    return {
      tool: term.tool,
      when: term.when,
      index,
      program: outcome?.ok === true ? outcome.value : null,
      expiresAt: term.expires_at === undefined ? null : sortable(term.expires_at),
      isLimited: term.uses !== undefined,
      isSpent: spent.includes(index),
    };
  });
  if (problems.length > 0) {
    const places = problems.map(
      ({ index, line, column, message }) => `term ${index + 1}, match, line ${line}, column ${column}: ${message}`,
    );
    return fail('mandate.invalid', `The terms can't be used: ${places.slice(0, SHOWN_PROBLEMS).join('; ')}.`, { problems });
  }
  return ok({ principal, version, scopes, terms, for: indexByTool(compiled) });
}

/** ISO 8601 UTC at any precision in a form that sorts as text. */
const sortable = (iso: string): string => {
  const [, minutes, seconds = '00', fraction = ''] = /^(.*T\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?Z$/.exec(iso) ?? [];
  return `${minutes ?? iso}:${seconds}.${fraction.padEnd(9, '0')}Z`;
};

/** Whether the time of a term is over. */
export const hasEnded = (term: Pick<Term, 'expires_at'>, now: string): boolean =>
  term.expires_at !== undefined && sortable(now) >= sortable(term.expires_at);

/**
 * Whether one mandate covers a call, by which term, or what is missing, in words.
 * @param consider told of every term that was looked at; the first that covers without limit ends the search (M3)
 */
export function covers(
  mandate: CompiledMandate,
  facts: CallFacts,
  bindings: CelBindings = bindingsOf(facts),
  consider?: ConsiderTerm,
): Coverage {
  const naming = mandate.for(facts.tool);
  let limited: number | undefined;
  for (const term of consider ? naming : candidatesFor(naming)(argsOf(facts.args))) {
    const { reading, detail } = readTerm(term, facts, bindings);
    consider?.(term, reading, detail);
    if (reading.said !== 'matches') continue;
    if (!term.isLimited) return { covered: true, term: term.index };
    limited ??= term.index;
  }
  if (limited !== undefined) return { covered: true, term: limited };
  const misses = naming
    .slice(0, SHOWN_MISSES)
    .map((term) => `“${term.when}” ${readTerm(term, facts, bindings).detail ?? 'does not match'}`);
  return { covered: false, missing: missingWords(mandate.principal, facts.tool, misses, naming.length) };
}

const SHOWN_MISSES = 3;

const candidates = new WeakMap<readonly CompiledTerm[], ReturnType<typeof candidatesAmong<CompiledTerm>>>();

/** The lookup for the terms that name one tool, which are the same array for as long as the mandate lives. */
function candidatesFor(naming: readonly CompiledTerm[]): ReturnType<typeof candidatesAmong<CompiledTerm>> {
  const known = candidates.get(naming);
  if (known !== undefined) return known;
  const made = candidatesAmong(naming);
  candidates.set(naming, made);
  return made;
}

type TermReading = { readonly reading: Reading; readonly detail: string | null };
const COVERS: TermReading = { reading: { said: 'matches' }, detail: null };
const MISSES: TermReading = { reading: { said: 'does not match' }, detail: null };

function readTerm(term: CompiledTerm, facts: CallFacts, bindings: CelBindings): TermReading {
  if (term.expiresAt !== null && sortable(facts.now) >= term.expiresAt) return { ...MISSES, detail: 'has expired' };
  if (term.isSpent) return { ...MISSES, detail: 'is used up' };
  if (term.program === null) return COVERS;
  const outcome = term.program.run(bindings);
  if (outcome.ok) return outcome.value ? COVERS : MISSES;
  return { reading: { said: 'could not be evaluated', detail: outcome.error }, detail: `could not be evaluated (${outcome.error})` };
}

/** A term's own words stand in “…”: they are its principal's, and reach another principal's agent only as a quotation. */
function missingWords(principal: string, tool: string, misses: readonly string[], naming: number): string {
  if (misses.length === 0) return `No term of ${principal}'s mandate names ${tool}.`;
  const more = naming > misses.length ? `; and ${naming - misses.length} more` : '';
  return `${principal}'s mandate names ${tool}, but not with these arguments: ${misses.join('; ')}${more}.`;
}

/**
 * The narrowest term that covers a call, for `remember` (M2): this tool alone, every argument pinned by value, and no other argument.
 * @returns `mandate.invalid` where the arguments are too large or too deep to be written as a term: then nothing is remembered
 */
export function narrowTerm(toolKey: string, args: unknown): Result<Term, 'mandate.invalid'> {
  const given = Object.entries(argsOf(args)).filter(([, value]) => value !== undefined);
  const pins = given.map(([key, value]) => `args[${literal(key)}] == ${literal(value)}`);
  const match = [`size(args) == ${given.length}`, ...pins].join(' && ');
  // Argument names are the agent's to choose, and a term's words are taken for its principal's: only plain short ones get in.
  const names = given.flatMap(([key]) => (PLAIN_NAME.test(key) ? key : [])).slice(0, 8);
  const when = `exactly the call that was approved${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
  const compiled = compileCel(match, { kind: 'predicate' });
  const isExact = !toolKey.includes('*') && compiled.ok && coversItself(compiled.value, args);
  if (!isExact) return fail('mandate.invalid', 'The arguments of this call are too large to be remembered as a term.');
  return ok({ tool: toolKey, when, match });
}

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,32}$/;

const coversItself = (program: CelProgram<'predicate'>, args: unknown): boolean => {
  const outcome = program.run(
    bindingsOf({
      args,
      tool: '',
      server: '',
      name: '',
      agent: { name: '', principal: '', status: 'member' },
      chain: [],
      task: '',
      now: '',
    }),
  );
  return outcome.ok && outcome.value;
};

/** A JSON value as a CEL literal. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${entries.map(([key, item]) => `${literal(key)}: ${literal(item)}`).join(', ')}}`;
  }
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) || /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
  return String(value);
}

/** Letters stay readable; quotes, backslashes, controls and whatever could hide are escaped. */
const quoted = (text: string): string => `"${text.replace(/["\\]|[^\p{L}\p{N}\p{P}\p{S} ]/gu, escaped)}"`;
const escaped = (char: string): string => {
  if (char === '"' || char === '\\') return `\\${char}`;
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
};

/** How a new version relates to the one before (M4). A change of words only, or one that can't be told, is `changed`. */
export function compareMandates(before: MandateTerms, after: MandateTerms): 'widened' | 'narrowed' | 'changed' {
  const isNarrower = isWithin(after, before);
  const isWider = isWithin(before, after);
  if (isNarrower === isWider) return 'changed';
  return isNarrower ? 'narrowed' : 'widened';
}

/** Whether everything that `narrow` allows is surely allowed by `wide`. */
const isWithin = (narrow: MandateTerms, wide: MandateTerms): boolean =>
  narrow.scopes.every((scope) => wide.scopes.includes(scope)) &&
  narrow.terms.every((term) => wide.terms.some((other) => isTermWithin(term, other))) &&
  isBudgetWithin(narrow.budget, wide.budget);

const isTermWithin = (narrow: Term, wide: Term): boolean =>
  isPatternWithin(narrow.tool, wide.tool) &&
  (wide.match === undefined || wide.match === narrow.match) &&
  (wide.expires_at === undefined || (narrow.expires_at !== undefined && sortable(narrow.expires_at) <= sortable(wide.expires_at))) &&
  (wide.uses === undefined || (narrow.uses !== undefined && narrow.uses <= wide.uses));

/** No budget is no limit. Budgets over different periods can't be compared. */
const isBudgetWithin = (narrow: MandateTerms['budget'], wide: MandateTerms['budget']): boolean =>
  wide === undefined || (narrow !== undefined && narrow.per === wide.per && narrow.usd <= wide.usd);
