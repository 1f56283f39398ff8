import { closest, distance } from 'fastest-levenshtein';
import type * as z from 'zod';
import { type ConfigProblem, type KeyPath, spellPath } from './config-problem.ts';
import { type JsonSchema, knownKeys } from './config-schema.ts';
import type { YamlTree } from './read-yaml.ts';

type Issue = z.core.$ZodIssue;
export type Explanation = { readonly path: KeyPath; readonly atKey: boolean; readonly message: string; readonly fix: string | null };

/** The candidate that `word` was probably meant to be; null when none is near. */
export const didYouMean = (word: string, candidates: readonly string[]): string | null => {
  if (candidates.length === 0) return null;
  const best = closest(word.toLowerCase(), [...candidates]);
  return distance(word.toLowerCase(), best) <= Math.max(2, Math.floor(word.length / 3)) ? best : null;
};

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
};
const typeWords = (value: unknown): string => {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of keys';
  return TYPE_WORDS[typeof value] ?? typeof value;
};

const list = (words: readonly unknown[]): string => {
  const shown = words.slice(0, 12).map((word) => JSON.stringify(word));
  return words.length > 12 ? `${shown.join(', ')} …` : shown.join(', ');
};

const valueAt = (root: unknown, path: KeyPath): unknown =>
  path.reduce<unknown>(
    (here, part) => (typeof here === 'object' && here !== null ? (here as Record<string, unknown>)[part] : undefined),
    root,
  );

const SIZE_UNITS: Record<string, string> = { string: ' characters', array: ' entries', set: ' entries' };
const bound = (issue: { origin: string }, word: 'at least' | 'at most', limit: number | bigint): string =>
  SIZE_UNITS[issue.origin] === undefined ? `must be ${word} ${limit}` : `must have ${word} ${limit}${SIZE_UNITS[issue.origin]}`;

/** A union fails with one list of issues for each shape: the shape that fits best is the one that was meant, unless two fit equally. */
const bestBranch = (issues: readonly Issue[][]): readonly Issue[] | null => {
  const weigh = (branch: readonly Issue[]): number =>
    branch.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
  const [first, second] = [...issues].sort((a, b) => weigh(a) - weigh(b));
  if (first === undefined || (second !== undefined && weigh(first) === weigh(second))) return null;
  return first;
};

type Context = { readonly tree: YamlTree; readonly value: unknown; readonly schema: JsonSchema };

const explainKeys = (issue: Extract<Issue, { code: 'unrecognized_keys' }>, path: KeyPath, { schema }: Context): Explanation[] => {
  const known = knownKeys(schema, path);
  return issue.keys.map((key) => {
    const meant = didYouMean(key, known);
    const fix = meant === null ? `Known keys here: ${known.join(', ')}` : `Did you mean "${meant}"?`;
    return { path: [...path, key], atKey: true, message: 'there is no such key', fix };
  });
};

const explainValue = (issue: Issue, path: KeyPath, { tree, value }: Context): Explanation => {
  const found = valueAt(value, path);
  const explain = (message: string, fix: string | null = null): Explanation => ({ path, atKey: false, message, fix });
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = TYPE_WORDS[issue.expected] ?? issue.expected;
      if (found === undefined) return explain('is missing', `It is ${wanted}`);
      return explain(
        `must be ${wanted}, but is ${typeWords(found)}`,
        typeof found === 'number' && wanted === 'text' ? 'Put it in quotes' : null,
      );
    }
    case 'invalid_value': {
      const options = issue.values.map(String);
      if (found === undefined) return explain('is missing', `It is one of ${list(options)}`);
      const shown = typeof found === 'string' && !tree.isSecret(path) ? `"${found.slice(0, 60)}"` : 'this';
      const meant = typeof found === 'string' && !tree.isSecret(path) ? didYouMean(found, options) : null;
      return explain(`${shown} is not one of ${list(options)}`, meant === null ? null : `Did you mean "${meant}"?`);
    }
    case 'too_small':
      return explain(bound(issue, 'at least', issue.minimum));
    case 'too_big':
      return explain(bound(issue, 'at most', issue.maximum));
    case 'invalid_format':
      // Zod's own words ("Invalid URL") name no fix; ours say how to write it.
      return issue.message.startsWith('Invalid')
        ? explain(`is not a valid ${issue.format}`)
        : explain('is not written as it should be', issue.message);
    default:
      return explain(issue.message);
  }
};

const explain = (issue: Issue, base: KeyPath, context: Context): Explanation[] => {
  const path = [...base, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') return explainKeys(issue, path, context);
  if (issue.code === 'invalid_key') {
    return [{ path, atKey: true, message: 'this name is not allowed', fix: issue.issues[0]?.message ?? null }];
  }
  if (issue.code === 'invalid_union') {
    const branch = bestBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => explain(inner, path, context));
  }
  return [explainValue(issue, path, context)];
};

/** What the schema says of a config, as problems with a place and a fix. */
export const explainIssues = (issues: readonly Issue[], file: string, context: Context): ConfigProblem[] =>
  issues
    .flatMap((issue) => explain(issue, [], context))
    .map(({ path, atKey, message, fix }) => ({
      file,
      place: atKey ? context.tree.atKey(path) : context.tree.at(path),
      path: spellPath(path),
      message,
      fix,
    }));

/** Paths at which the schema wants a number or a yes/no; unions are looked into. */
export const wantsScalar = (issues: readonly Issue[], base: KeyPath = []): KeyPath[] =>
  issues.flatMap((issue) => {
    const path = [...base, ...(issue.path as (string | number)[])];
    if (issue.code === 'invalid_union') return issue.errors.flatMap((branch) => wantsScalar(branch, path));
    return issue.code === 'invalid_type' && ['number', 'int', 'boolean'].includes(issue.expected) ? [path] : [];
  });
