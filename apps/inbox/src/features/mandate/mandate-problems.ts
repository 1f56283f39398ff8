import type { ClientFailure } from '@countersign/client';
import { mandate as words } from '../../words/mandate.ts';

/** What the server found wrong, by place: `terms.4.match`, `budget.usd`. */
export type Problems = ReadonlyMap<string, string>;
export const NO_PROBLEMS: Problems = new Map();

type Found = {
  readonly index?: number;
  readonly field?: string;
  readonly message?: string;
  readonly line?: number;
  readonly column?: number;
};

const isList = (value: unknown): value is readonly Record<string, unknown>[] => Array.isArray(value);

/** Reads where a mandate can't be used out of a refusal; empty where the refusal is about something else. */
export function problemsOf({ detail }: ClientFailure): Problems {
  const found = new Map<string, string>();
  if (isList(detail?.problems)) {
    for (const { index, field, message = '', line, column } of detail.problems as readonly Found[]) {
      const at = line === undefined || column === undefined ? '' : ` (${words.at(line, column)})`;
      found.set(`terms.${index}.${field}`, `${message}${at}`);
    }
  }
  if (isList(detail?.issues)) {
    for (const { path, message } of detail.issues) {
      if (typeof path === 'string' && typeof message === 'string') found.set(path.split('/').filter(Boolean).join('.'), message);
    }
  }
  return found;
}

/** The problems of one term. */
export const ofTerm =
  (problems: Problems, place: number) =>
  (field: string): string | undefined =>
    problems.get(`terms.${place}.${field}`);

export const hasProblem = (problems: Problems, place: number): boolean =>
  [...problems.keys()].some((key) => key === `terms.${place}` || key.startsWith(`terms.${place}.`));
