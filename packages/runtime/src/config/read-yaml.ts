import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type YAMLError } from 'yaml';
import { type ConfigProblem, type KeyPath, type Place, spellPath } from './config-problem.ts';
import { interpolate, type Variables } from './interpolate.ts';

/** A YAML text as plain values, with the place that each key path came from. */
export type YamlTree = {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** False when the text is no YAML at all, so that nothing can be said of what stands in it. */
  readonly readable: boolean;
  /** Where the value at `path` begins, or the nearest enclosing one that exists. */
  at(path: KeyPath): Place;
  /** The same for the key itself. */
  atKey(path: KeyPath): Place;
  /** The value holds something from the environment and must not be printed. */
  isSecret(path: KeyPath): boolean;
  /** The value is a string that a variable was put into. */
  isInterpolated(path: KeyPath): boolean;
  readonly secrets: readonly string[];
};

// Far above any real file; an alias inside its own anchor, or one that doubles itself, ends here.
const MAX_NODES = 1_000_000;
const MAX_DEPTH = 64;

type Spot = { value: number; key?: number; secret: boolean; interpolated: boolean };
type Walk = {
  readonly source: string;
  readonly spots: Map<string, Spot>;
  readonly secrets: Set<string>;
  readonly variables: Variables;
  readonly resolve: (node: Node) => Node | undefined;
  readonly report: (path: KeyPath, offset: number, message: string, fix: string | null) => void;
  nodes: number;
};

const keyOf = (path: KeyPath): string => JSON.stringify(path);
const startOf = (node: unknown): number => (node as { range?: readonly number[] } | null)?.range?.[0] ?? 0;

const readScalar = (walk: Walk, text: string, path: KeyPath, offset: number, spot: Spot): string => {
  const read = interpolate(text, walk.variables);
  for (const problem of read.problems) {
    const column = walk.source.indexOf(problem.reference, offset);
    walk.report(path, column < 0 ? offset : column, problem.message, problem.fix);
  }
  for (const secret of read.secrets) walk.secrets.add(secret);
  spot.secret = read.secrets.length > 0;
  spot.interpolated = read.changed;
  return read.text;
};

const readPair = (walk: Walk, pair: Pair, path: KeyPath, into: Record<string, unknown>): void => {
  const { key, value } = pair;
  if (!isScalar(key) || typeof key.value === 'object') {
    walk.report(path, startOf(key), 'a key must be a plain word', null);
    return;
  }
  const name = String(key.value);
  const here = [...path, name];
  if (name === '__proto__') {
    walk.report(here, startOf(key), 'this key is not allowed', 'Remove it');
    return;
  }
  if (Object.hasOwn(into, name)) {
    walk.report(here, startOf(key), 'this key stands here for the second time', 'Keep one of the two');
    return;
  }
  // `rules:` with every rule commented out means no rules, not null.
  const isEmpty = value === null || (isScalar(value) && value.value === null && (value.source ?? '') === '');
  if (isEmpty && path.length === 0) return;
  into[name] = readNode(walk, value as Node | null, here);
  const spot = walk.spots.get(keyOf(here));
  if (spot !== undefined) spot.key = startOf(key);
};

const readNode = (walk: Walk, node: Node | null, path: KeyPath): unknown => {
  walk.nodes += 1;
  if (walk.nodes > MAX_NODES || path.length > MAX_DEPTH) {
    if (walk.nodes !== Number.POSITIVE_INFINITY) {
      walk.report(path.slice(0, 3), startOf(node), 'the file is nested too deeply', 'Look for an alias inside its own anchor');
    }
    walk.nodes = Number.POSITIVE_INFINITY;
    return null;
  }
  const spot: Spot = { value: startOf(node), secret: false, interpolated: false };
  walk.spots.set(keyOf(path), spot);
  const target = isAlias(node) ? (walk.resolve(node) ?? null) : node;
  if (isMap(target)) {
    const into: Record<string, unknown> = {};
    for (const pair of target.items) readPair(walk, pair, path, into);
    return into;
  }
  if (isSeq(target)) return target.items.map((item, index) => readNode(walk, item as Node, [...path, index]));
  if (!isScalar(target)) return null;
  return typeof target.value === 'string' ? readScalar(walk, target.value, path, startOf(node), spot) : target.value;
};

const explainSyntax = (error: YAMLError, source: string): { message: string; fix: string | null } => {
  // In a flow collection, `{` begins a map: `{ status: ${STATUS} }` breaks just after the `$`.
  if (source[error.pos[0] - 1] === '$' && source[error.pos[0]] === '{') {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a person should write
    return { message: 'a reference between { } or [ ] must stand in quotes', fix: 'Write "${NAME}"' };
  }
  if (error.code === 'TAB_AS_INDENT') return { message: 'a tab is used to indent', fix: 'Indent with spaces' };
  if (error.code === 'MULTIPLE_DOCS') return { message: 'a second document begins here', fix: 'Remove the line "---"' };
  return { message: `this is not valid YAML: ${error.message.replace(/\.?\s*$/, '')}`, fix: null };
};

/** Parses `source` and puts variables into its strings afterwards, so that no value can change the file's shape. */
export const readYaml = (source: string, file: string, variables: Variables): YamlTree => {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, merge: false });
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems: ConfigProblem[] = [];
  const report: Walk['report'] = (path, offset, message, fix) =>
    void problems.push({ file, place: placeOf(offset), path: spellPath(path), message, fix });
  // After the first break the parser has lost its place, and what it says then helps nobody.
  const broken = document.errors[0];
  for (const error of [...document.warnings, ...(broken === undefined ? [] : [broken])]) {
    const { message, fix } = explainSyntax(error, source);
    report([], error.pos[0], message, fix);
  }
  const readable = broken === undefined;
  const resolve = (node: Node): Node | undefined => (isAlias(node) ? node.resolve(document) : undefined);
  const walk: Walk = { source, spots: new Map(), secrets: new Set(), variables, resolve, report, nodes: 0 };
  const value = readable && document.contents !== null ? readNode(walk, document.contents as Node, []) : {};
  const nearest = (path: KeyPath): Spot | undefined => {
    for (let length = path.length; length >= 0; length -= 1) {
      const spot = walk.spots.get(keyOf(path.slice(0, length)));
      if (spot !== undefined) return spot;
    }
    return undefined;
  };
  return {
    value: value ?? {},
    problems,
    readable,
    at: (path) => placeOf(nearest(path)?.value ?? 0),
    atKey: (path) => {
      const spot = nearest(path);
      return placeOf(spot?.key ?? spot?.value ?? 0);
    },
    isSecret: (path) => walk.spots.get(keyOf(path))?.secret ?? false,
    isInterpolated: (path) => walk.spots.get(keyOf(path))?.interpolated ?? false,
    secrets: [...walk.secrets],
  };
};
