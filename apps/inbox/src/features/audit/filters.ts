import type { AuditEventType } from '@countersign/contracts';
import type { AuditFilters } from '../../data/keys.ts';
import type { Choice, ChoiceGroup } from '../../parts/filters.tsx';
import { audit } from '../../words/audit.ts';
import { common } from '../../words/common.ts';
import { eventWords } from '../../words/events.ts';

const TYPES = Object.keys(eventWords) as readonly AuditEventType[];
const areaOf = (type: string): string => type.slice(0, type.indexOf('.'));
const AREAS = [...new Set(TYPES.map(areaOf))];

const HOUR = 3_600_000;
const SINCE_MS: Readonly<Record<string, number>> = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR, '30d': 30 * 24 * HOUR };

export const FILTER_NAMES = ['type', 'agent', 'since', 'decision', 'call', 'run', 'principal'] as const;

/** `type` in the address: one type, or an area such as `call` for all types about calls. */
const typesOf = (given: string | null): AuditEventType[] | undefined => {
  const types = TYPES.filter((type) => type === given || areaOf(type) === given);
  return types.length === 0 ? undefined : types;
};

/** The filters of an address, seen from `now`. What it says wrong is passed over. */
export function filtersOf(search: URLSearchParams, now: number): AuditFilters {
  const text = (name: string): string | undefined => search.get(name)?.trim().slice(0, 200) || undefined;
  const types = typesOf(search.get('type'));
  const sinceMs = SINCE_MS[search.get('since') ?? ''];
  const named = (['agent', 'principal', 'decision', 'call', 'run', 'q'] as const).flatMap((name) => {
    const value = text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(named),
    ...(types && { type: types }),
    ...(sinceMs !== undefined && { since: new Date(now - sinceMs).toISOString() }),
  };
}

export const TYPE_CHOICES: readonly (Choice | ChoiceGroup)[] = [
  { value: '', label: common.any },
  ...AREAS.map((area) => {
    const label = audit.areas[area] ?? area;
    const types = TYPES.filter((type) => areaOf(type) === area);
    return {
      label,
      choices: [{ value: area, label: audit.allOf(label) }, ...types.map((type) => ({ value: type, label: eventWords[type] }))],
    };
  }),
];
