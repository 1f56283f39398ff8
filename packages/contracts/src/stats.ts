import * as z from 'zod';
import { Timestamp } from './ids.ts';

/** How a group of questions went. What is still open counts as asked and as nothing else. */
export const Tally = z.strictObject({
  asks: z.int().nonnegative(),
  approved: z.int().nonnegative(),
  refused: z.int().nonnegative(),
  expired: z.int().nonnegative(),
  withdrawn: z.int().nonnegative(),
  /** From the question to the answer that settled it; null where none was answered. */
  medianMs: z.int().nonnegative().nullable(),
  p90Ms: z.int().nonnegative().nullable(),
  /** Answered in less than two seconds: nobody reads that fast. */
  under2s: z.int().nonnegative(),
});
export type Tally = Readonly<z.infer<typeof Tally>>;
const NamedTally = Tally.extend({ name: z.string() });

/** Names as the time zone database has them. Offsets are none: databases disagree about their sign. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export const StatsQuery = z.object({
  days: z.coerce.number().int().min(1).max(90).default(30),
  /** Where days begin and end, such as Europe/Berlin. */
  tz: z.string().max(64).refine(isTimeZone, 'a time zone is named like Europe/Berlin').default('UTC'),
});
export type StatsQuery = z.infer<typeof StatsQuery>;

/** What a principal was asked. `since` is the start of the first day, `until` the moment of the answer. */
export const Stats = z.strictObject({
  since: Timestamp,
  until: Timestamp,
  total: Tally,
  /** Open now, whenever they were raised. */
  pending: z.int().nonnegative(),
  /** One for each day, the first one first, days without a question included. */
  days: z.array(Tally.extend({ day: z.iso.date() })),
  /** Those that asked most first. A question on two rules counts for both. */
  rules: z.array(NamedTally),
  agents: z.array(NamedTally),
});
export type Stats = z.infer<typeof Stats>;
