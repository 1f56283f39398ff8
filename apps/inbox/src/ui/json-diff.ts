/** Where two JSON values differ, leaf by leaf. */
import { pointer } from './json-lines.ts';

export type Difference =
  | { readonly kind: 'added'; readonly path: string; readonly now: unknown }
  | { readonly kind: 'removed'; readonly path: string; readonly was: unknown }
  | { readonly kind: 'changed'; readonly path: string; readonly was: unknown; readonly now: unknown };

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** In the order of `now`, what is gone last. Lists are compared place by place. */
export function differences(was: unknown, now: unknown, path = ''): readonly Difference[] {
  if (Object.is(was, now)) return [];
  if (!isBranch(was) || !isBranch(now) || Array.isArray(was) !== Array.isArray(now)) return [{ kind: 'changed', path, was, now }];
  const found: Difference[] = [];
  for (const [key, value] of Object.entries(now)) {
    const at = pointer(path, key);
    if (Object.hasOwn(was, key)) found.push(...differences(was[key], value, at));
    else found.push({ kind: 'added', path: at, now: value });
  }
  for (const [key, value] of Object.entries(was)) {
    if (!Object.hasOwn(now, key)) found.push({ kind: 'removed', path: pointer(path, key), was: value });
  }
  return found;
}

/** A JSON Pointer as people read it: `edits 1 oldText`. */
export const spellPath = (path: string): string =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ');
