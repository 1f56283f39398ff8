import { type ErrorCode, type Failure, RuleConfig, Term } from '@countersign/contracts';
import { compileMandate, compileRules } from '@countersign/core';
import { digestOf } from '@countersign/engine';
import { type ConfigProblem, type KeyPath, spellPath } from './config-problem.ts';
import type { YamlTree } from './read-yaml.ts';

type Map = Readonly<Record<string, unknown>>;
const asMap = (value: unknown): Map => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Map) : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type Fault = { readonly index: number; readonly field: string; readonly message: string };
const faultsOf = (error: Failure<ErrorCode>): readonly Fault[] => (error.detail?.problems ?? []) as readonly Fault[];

/** The entries of a list that the schema takes, with their places in it: a mistake elsewhere in one hides nothing of the others. */
const entriesThatFit = <Value>(list: readonly unknown[], read: (raw: unknown) => { readonly success: boolean; readonly data?: Value }) =>
  list.flatMap((raw, index) => {
    const parsed = read(raw);
    return parsed.success ? [{ index, value: parsed.data as Value }] : [];
  });

/** Expressions of rules that do not compile or break a bound. A rule that the schema refuses already is left to it. */
export const checkRuleCel = (value: unknown, tree: YamlTree, file: string): ConfigProblem[] => {
  const rules = entriesThatFit(asList(asMap(value).rules), (raw) => RuleConfig.safeParse(raw));
  const compiled = compileRules(
    rules.map((rule) => rule.value),
    { digest: digestOf },
  );
  if (compiled.ok) return [];
  return faultsOf(compiled.error)
    .filter(({ field }) => field !== 'id')
    .map(({ index, field, message }) => problemAt(tree, file, ['rules', rules[index]?.index ?? index, field], message));
};

/** Expressions of the mandates' terms that do not compile: the principal could not be made from them. */
export const checkTermCel = (value: unknown, tree: YamlTree, file: string): ConfigProblem[] =>
  Object.entries(asMap(asMap(value).principals)).flatMap(([name, principal]) => {
    const terms = entriesThatFit(asList(asMap(asMap(principal).mandate).terms), (raw) => Term.safeParse(raw));
    const compiled = compileMandate(name, 1, { scopes: [], terms: terms.map((term) => term.value) });
    if (compiled.ok) return [];
    return faultsOf(compiled.error).map(({ index, field, message }) =>
      problemAt(tree, file, ['principals', name, 'mandate', 'terms', terms[index]?.index ?? index, field], message),
    );
  });

const problemAt = (tree: YamlTree, file: string, path: KeyPath, message: string): ConfigProblem => ({
  file,
  place: tree.at(path),
  path: spellPath(path),
  message,
  fix: null,
});
