import type { DecisionKind, DecisionStatus } from '@countersign/contracts';
import type { DecisionFilters } from '../../data/keys.ts';

const SETTLED: readonly DecisionStatus[] = ['approved', 'refused', 'expired', 'withdrawn'];
const STATUSES: readonly DecisionStatus[] = ['pending', ...SETTLED];
const KINDS: readonly DecisionKind[] = ['call', 'request', 'spend', 'tool', 'outcome'];

/** `state` in the URL: one of the states, `settled` for all but pending, `all`. Nothing means pending. */
const statesOf = (given: string | null): DecisionStatus[] | undefined => {
  if (given === 'all') return undefined;
  if (given === 'settled') return [...SETTLED];
  return [STATUSES.find((state) => state === given) ?? 'pending'];
};

export const FILTER_NAMES = ['state', 'kind', 'agent', 'tool', 'rule'] as const;
export const KIND_CHOICES = KINDS;
export const STATE_CHOICES = ['pending', 'settled', ...SETTLED, 'all'] as const;

/** The filters of an address. What it says wrong is passed over. */
export function filtersOf(search: URLSearchParams): DecisionFilters {
  const kind = KINDS.find((each) => each === search.get('kind'));
  const states = statesOf(search.get('state'));
  const text = (name: string): string | undefined => search.get(name)?.trim().slice(0, 200) || undefined;
  const [agent, tool, rule, q] = ['agent', 'tool', 'rule', 'q'].map(text);
  return {
    sort: search.get('sort') === 'deadline' ? 'deadline' : 'age',
    ...(states && { state: states }),
    ...(kind && { kind: [kind] }),
    ...(agent && { agent }),
    ...(tool && { tool }),
    ...(rule && { rule }),
    ...(q && { q }),
  };
}
