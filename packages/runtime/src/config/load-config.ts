import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Config, fail, ok, type Result } from '@countersign/contracts';
import { checkRuleCel, checkTermCel } from './check-cel.ts';
import { checkReferences, warnOfUnknownServers } from './check-references.ts';
import { type ConfigProblem, inFileOrder, type KeyPath, spellPath } from './config-problem.ts';
import { configJsonSchema } from './config-schema.ts';
import { explainIssues, wantsScalar } from './explain-issue.ts';
import { readYaml, type YamlTree } from './read-yaml.ts';

export type LoadOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Becomes `${COUNTERSIGN_DATA}`, as an absolute path. */
  readonly dataDir: string;
  /** Principals that the database knows beside those of the file; needed when a running host reloads. */
  readonly knownPrincipals?: readonly string[];
};

export type LoadedConfig = {
  readonly config: Config;
  /** Absolute path of the file. */
  readonly file: string;
  /** The file's folder: relative paths and the servers' child processes start here. */
  readonly baseDir: string;
  readonly dataDir: string;
  /** Values that came from the environment: keep them out of logs. */
  readonly secrets: readonly string[];
  /** What is probably a mistake and stops nothing. */
  readonly warnings: readonly ConfigProblem[];
  /** Makes a problem at a key path, for checks that run later, such as compiling a rule's CEL. */
  problemAt(path: KeyPath, message: string, fix?: string): ConfigProblem;
};

const readText = (file: string): Result<string, 'config.invalid'> => {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const message =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'this is a folder'
          : `it cannot be read (${code ?? 'not UTF-8 text'})`;
    return invalid([{ file, place: null, path: '', message, fix: 'Name the file with --config' }]);
  }
};

const invalid = (problems: readonly ConfigProblem[]): Result<never, 'config.invalid'> => {
  const [first] = problems;
  const where = first === undefined ? '' : `: ${first.path === '' ? '' : `${first.path} `}${first.message}`;
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems, the first`;
  return fail('config.invalid', `The config has ${count}${where}.`, { problems });
};

const setAt = (root: unknown, path: KeyPath, value: unknown): void => {
  const parent = path.slice(0, -1).reduce<unknown>((here, part) => (here as Record<string, unknown>)[part], root);
  (parent as Record<string, unknown>)[path.at(-1) ?? ''] = value;
};
const getAt = (root: unknown, path: KeyPath): unknown =>
  path.reduce<unknown>((here, part) => (here as Record<string, unknown> | undefined)?.[part], root);

const SCALARS = /^(?:true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?)$/;

/** `port: ${PORT}` is text until the schema wants a number there; only then, and only when it is one, does it become one. */
const fitVariables = (tree: YamlTree, issues: Parameters<typeof wantsScalar>[0]): boolean => {
  let changed = false;
  for (const path of wantsScalar(issues)) {
    const text = getAt(tree.value, path);
    if (typeof text !== 'string' || !tree.isInterpolated(path) || !SCALARS.test(text)) continue;
    setAt(tree.value, path, JSON.parse(text));
    changed = true;
  }
  return changed;
};

const parseTree = (tree: YamlTree): ReturnType<typeof Config.safeParse> => {
  const first = Config.safeParse(tree.value);
  return first.success || !fitVariables(tree, first.error.issues) ? first : Config.safeParse(tree.value);
};

const hasProblemAt = (problems: readonly ConfigProblem[], path: string): boolean => problems.some((problem) => problem.path === path);

/**
 * Reads and checks `countersign.yaml`. Fails with `config.invalid` and every problem at once in `detail.problems`, top to bottom, each with place and fix.
 * Nothing in a problem ever holds a value of the environment.
 */
export const loadConfig = (path: string, options: LoadOptions): Result<LoadedConfig, 'config.invalid'> => {
  const file = resolve(path);
  const text = readText(file);
  if (!text.ok) return text;
  const dataDir = resolve(options.dataDir);
  const tree = readYaml(text.value, file, { env: options.env, builtIn: { COUNTERSIGN_DATA: dataDir } });
  if (!tree.readable) return invalid(inFileOrder(tree.problems));

  const parsed = parseTree(tree);
  const issues = parsed.success ? [] : explainIssues(parsed.error.issues, file, { tree, value: tree.value, schema: configJsonSchema() });
  // A variable that is missing leaves its value empty: one problem, not two.
  const fromSchema = issues.filter((problem) => problem.path === '' || !hasProblemAt(tree.problems, problem.path));
  const references = checkReferences(tree.value, tree, file, options.knownPrincipals ?? []);
  const problems = inFileOrder([
    ...tree.problems,
    ...fromSchema,
    ...references.filter((problem) => !hasProblemAt(fromSchema, problem.path)),
    ...checkTermCel(tree.value, tree, file),
  ]);
  // A file that is right so far has its rules compiled by whoever puts them in force; thousands of them are not compiled twice.
  if (!parsed.success || problems.length > 0) return invalid(inFileOrder([...problems, ...checkRuleCel(tree.value, tree, file)]));
  return ok({
    config: parsed.data,
    file,
    baseDir: dirname(file),
    dataDir,
    secrets: tree.secrets,
    warnings: inFileOrder(warnOfUnknownServers(tree.value, tree, file)),
    problemAt: (at, message, fix) => ({ file, place: tree.at(at), path: spellPath(at), message, fix: fix ?? null }),
  });
};
