import { relative } from 'node:path';

/** A place in a YAML text; both count from 1. `null` where the whole file is meant. */
export type Place = { readonly line: number; readonly column: number } | null;

/** One thing that is wrong with a config file, in words that name the place and the fix. Never holds a value that came from the environment. */
export type ConfigProblem = {
  readonly file: string;
  readonly place: Place;
  /** `rules[2].answer_by[0]`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly fix: string | null;
};

export type KeyPath = readonly (string | number)[];

/** `['rules', 2, 'answer_by']` as people write it: `rules[2].answer_by`; keys that are no plain word stand in quotes. */
export const spellPath = (path: KeyPath): string =>
  path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const word = /^[\w*-]+$/.test(part) ? part : JSON.stringify(part);
      return index === 0 ? word : `.${word}`;
    })
    .join('');

const byPlace = (a: ConfigProblem, b: ConfigProblem): number =>
  (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0) || a.path.localeCompare(b.path);

/** Top to bottom, as a person walks through the file. */
export const inFileOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] => [...problems].sort(byPlace);

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;

// A key or a value of the file may hold escape sequences; a terminal must show them, not obey them.
const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/**
 * Problems as lines for a terminal: `countersign.yaml:12:5  rules[2].effect: what is wrong. The fix.` and a count below.
 * The `file:line:column` start is what editors and terminals turn into a link; files are named from `cwd`.
 */
export const formatConfigProblems = (problems: readonly ConfigProblem[], cwd?: string): string => {
  const lines = inFileOrder(problems).map((problem) => {
    const near = cwd === undefined ? problem.file : relative(cwd, problem.file);
    const file = near === '' || near.startsWith('..') ? problem.file : near;
    const where = problem.place === null ? file : `${file}:${problem.place.line}:${problem.place.column}`;
    const what = problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`;
    return printable(`${where}  ${what}.${problem.fix === null ? '' : ` ${sentence(problem.fix)}`}`);
  });
  const count = problems.length === 1 ? '1 problem; nothing was loaded.' : `${problems.length} problems; nothing was loaded.`;
  return [...lines, count].join('\n');
};
