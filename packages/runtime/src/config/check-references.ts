import { type ConfigProblem, type KeyPath, spellPath } from './config-problem.ts';
import { didYouMean } from './explain-issue.ts';
import type { YamlTree } from './read-yaml.ts';

type Map = Readonly<Record<string, unknown>>;
const asMap = (value: unknown): Map => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Map) : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type Report = (path: KeyPath, message: string, fix: string | null) => void;
type Check = {
  readonly report: Report;
  readonly known: readonly string[] /** The value in quotes, unless it came from the environment. */;
  show(path: KeyPath, value: string): string;
};

const nameFix = (name: string, known: readonly string[], where: string): string => {
  const meant = didYouMean(name, known);
  return meant === null
    ? `Add it under ${where}${known.length > 0 ? `, or name one of ${known.join(', ')}` : ''}`
    : `Did you mean "${meant}"?`;
};

const checkPrincipal = (name: unknown, path: KeyPath, { report, known, show }: Check): void => {
  if (typeof name !== 'string' || known.includes(name)) return;
  report(path, `there is no principal ${show(path, name)}`, nameFix(name, known, 'principals'));
};

const checkAnswerBy = (answerBy: readonly unknown[], path: KeyPath, check: Check): void =>
  answerBy.forEach((name, at) => {
    checkPrincipal(name, [...path, at], check);
    if (typeof name === 'string' && answerBy.indexOf(name) < at) {
      check.report([...path, at], `${check.show([...path, at], name)} is named twice`, 'Name each principal once');
    }
  });

const checkRules = (rules: readonly unknown[], check: Check): void => {
  const { report, show } = check;
  const seen = new Map<string, number>();
  rules.forEach((raw, index) => {
    const rule = asMap(raw);
    if (typeof rule.id === 'string') {
      const first = seen.get(rule.id);
      const path = ['rules', index, 'id'];
      if (first === undefined) seen.set(rule.id, index);
      else report(path, `another rule has the id ${show(path, rule.id)} (rules[${first}])`, 'Give each rule its own id');
    }
    const answerBy = asList(rule.answer_by);
    checkAnswerBy(answerBy, ['rules', index, 'answer_by'], check);
    const people = new Set(answerBy).size;
    if (typeof rule.needs === 'number' && rule.needs > Math.max(people, 1)) {
      const fix =
        people === 0 ? 'Name them in answer_by; without it only the principal of the agent answers' : 'Name more principals in answer_by';
      report(['rules', index, 'needs'], `${rule.needs} principals must approve, but only ${Math.max(people, 1)} may answer`, fix);
    }
  });
};

/**
 * Checks what one key says of another: principals that agents and rules name, ids given twice, approvals that nobody can give, prices in the wrong order.
 * Works on the values as they were written, so it also speaks where the schema already found something wrong. `alsoKnown` are principals from the database.
 */
export const checkReferences = (value: unknown, tree: YamlTree, file: string, alsoKnown: readonly string[]): ConfigProblem[] => {
  const problems: ConfigProblem[] = [];
  const report: Report = (path, message, fix) => void problems.push({ file, place: tree.at(path), path: spellPath(path), message, fix });
  const config = asMap(value);
  const principals = [...new Set([...Object.keys(asMap(config.principals)), ...alsoKnown])];
  const show = (path: KeyPath, text: string): string => (tree.isSecret(path) ? 'of that name' : `"${text.slice(0, 60)}"`);
  const check: Check = { report, known: principals, show };
  for (const [name, agent] of Object.entries(asMap(config.agents))) {
    checkPrincipal(asMap(agent).principal, ['agents', name, 'principal'], check);
  }
  checkRules(asList(config.rules), check);

  const models = asMap(config.models);
  const allowed = Object.keys(asMap(models.allow));
  if (typeof models.default === 'string' && models.default !== 'cheapest' && !allowed.includes(models.default)) {
    const path = ['models', 'default'];
    report(
      path,
      `no model ${show(path, models.default)} is under models.allow`,
      nameFix(models.default, ['cheapest', ...allowed], 'models.allow'),
    );
  }
  const sampling = asMap(config.sampling);
  const [ask, refuse] = [sampling.ask_above_usd, sampling.refuse_above_usd];
  if (typeof ask === 'number' && typeof refuse === 'number' && ask > refuse) {
    report(
      ['sampling', 'ask_above_usd'],
      `asks only above ${ask}, where ${refuse} already refuses`,
      'Make it smaller than refuse_above_usd',
    );
  }
  return problems;
};

/** Patterns that name a server which is not there: such a rule never matches. Warnings, for a file of rules may be shared between hosts. */
export const warnOfUnknownServers = (value: unknown, tree: YamlTree, file: string): ConfigProblem[] => {
  const config = asMap(value);
  const servers = Object.keys(asMap(config.servers));
  const patterns: [KeyPath, unknown][] = [
    ...asList(config.rules).map((rule, index): [KeyPath, unknown] => [['rules', index, 'tool'], asMap(rule).tool]),
    ...Object.keys(asMap(config.tools)).map((pattern): [KeyPath, unknown] => [['tools', pattern], pattern]),
  ];
  return patterns.flatMap(([path, pattern]) => {
    const server = typeof pattern === 'string' && !tree.isSecret(path) ? /^([^*]*?)__/.exec(pattern)?.[1] : undefined;
    if (server === undefined || servers.includes(server)) return [];
    const fix = nameFix(server, servers, 'servers');
    const place = path[0] === 'tools' ? tree.atKey(path) : tree.at(path);
    return [{ file, place, path: spellPath(path), message: `there is no server "${server}", so this matches no tool`, fix }];
  });
};
