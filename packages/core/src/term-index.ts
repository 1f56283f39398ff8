import type { Pin } from './cel-pins.ts';

type Pinned = { readonly index: number; readonly program: { readonly pins: readonly Pin[] } | null };
type Args = { readonly [key: string]: unknown };

/** Below this, evaluating all of them costs less than looking any of them up. */
const SMALL = 16;

/**
 * Looks up, among terms for one tool, those that can say yes to given arguments: each term is filed under one argument that it pins by value.
 * A mandate that remembers a thousand calls is then as quick as one that remembers one. The order of the terms is kept.
 */
export function candidatesAmong<Term extends Pinned>(terms: readonly Term[]): (args: Args) => readonly Term[] {
  if (terms.length <= SMALL) return () => terms;
  const values = new Map<string, Set<Pin['value']>>();
  for (const { key, value } of terms.flatMap(pinsOf)) values.set(key, (values.get(key) ?? new Set()).add(value));
  const spread = ({ key }: Pin): number => values.get(key)?.size ?? 0;
  const loose: Term[] = [];
  const filed = new Map<string, Map<Pin['value'], Term[]>>();
  for (const term of terms) {
    // The argument with the most different values tells terms apart best.
    const [best] = [...pinsOf(term)].sort((a, b) => spread(b) - spread(a));
    if (best === undefined) loose.push(term);
    else file(filed, best, term);
  }
  return (args) => {
    const found = [...filed].flatMap(([key, byValue]) => (Object.hasOwn(args, key) ? (byValue.get(args[key] as Pin['value']) ?? []) : []));
    return found.length === 0 ? loose : [...loose, ...found].sort((a, b) => a.index - b.index);
  };
}

const pinsOf = ({ program }: Pinned): readonly Pin[] => program?.pins ?? [];

function file<Term>(filed: Map<string, Map<Pin['value'], Term[]>>, { key, value }: Pin, term: Term): void {
  const byValue = filed.get(key) ?? new Map<Pin['value'], Term[]>();
  filed.set(key, byValue);
  const same = byValue.get(value);
  if (same === undefined) byValue.set(value, [term]);
  else same.push(term);
}
