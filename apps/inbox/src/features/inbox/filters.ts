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

export const FILTER_NAMES = ['state', 'kind', 'agent', 'tool', 'rule', 'age', 'since', 'until'] as const;
export const AGE_CHOICES = ['1h', '24h', '7d', '-1d', '-7d'] as const;
export const KIND_CHOICES = KINDS;
export const STATE_CHOICES = ['pending', 'settled', ...SETTLED, 'all'] as const;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** `age` in the address: at most so old, or, with a minus, at least. */
const AGE_MS: Readonly<Record<string, number>> = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '-1d': -DAY, '-7d': -7 * DAY };

const moment = (given: string | null): string | undefined => {
  const at = Date.parse(given ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

function askedWhen(search: URLSearchParams, now: number): Pick<DecisionFilters, 'since' | 'until'> {
  const age = AGE_MS[search.get('age') ?? ''];
  const edge = age === undefined ? undefined : new Date(now - Math.abs(age)).toISOString();
  const since = age !== undefined && age > 0 ? edge : moment(search.get('since'));
  const until = age !== undefined && age < 0 ? edge : moment(search.get('until'));
  return { ...(since && { since }), ...(until && { until }) };
}

/** The filters of an address, seen from `now`. What it says wrong is passed over. */
export function filtersOf(search: URLSearchParams, now: number): DecisionFilters {
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
    ...askedWhen(search, now),
  };
}
