import type { Stats, Tally } from '@countersign/contracts';
import { stats as words } from '../../words/stats.ts';

export type Day = Stats['days'][number];

export const PARTS = ['approved', 'refused', 'expired', 'withdrawn', 'open'] as const;
export type Part = (typeof PARTS)[number];

/** What became of the questions of a group; what was not settled is still open. */
export const partsOf = (tally: Tally): Readonly<Record<Part, number>> => ({
  approved: tally.approved,
  refused: tally.refused,
  expired: tally.expired,
  withdrawn: tally.withdrawn,
  open: Math.max(0, tally.asks - tally.approved - tally.refused - tally.expired - tally.withdrawn),
});

/** `2026-11-30` as people say it. The day is the reader's own, so no zone is applied to it. */
export const spellDay = (day: string): string =>
  new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

export const spellParts = (tally: Tally): string =>
  PARTS.flatMap((part) => (partsOf(tally)[part] > 0 ? [`${partsOf(tally)[part].toLocaleString('en')} ${words.parts[part]}`] : [])).join(
    ', ',
  );

/** The decisions that were raised on a day of the reader's. */
export function hrefOfDay(day: string): string {
  const since = new Date(`${day}T00:00:00`);
  const until = new Date(since);
  until.setDate(until.getDate() + 1);
  return `/?state=all&since=${since.toISOString()}&until=${until.toISOString()}`;
}
