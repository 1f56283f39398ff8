import * as z from 'zod';
import { MandateTerms } from './config.ts';
import { CallId, Timestamp } from './ids.ts';
import { Effect } from './verdict.ts';

/** A mandate that is not in force, and how many days of recorded calls to hold it against. */
export const MandatePreviewInput = z.strictObject({ ...MandateTerms.shape, days: z.int().min(1).max(90).default(30) });
export type MandatePreviewInput = z.infer<typeof MandatePreviewInput>;

/**
 * What the gate would say of recorded calls under other terms, were they made again now: `was` under the mandate in force, `now` under the
 * other one. Calls that can't be judged any more are counted, never taken for unchanged.
 */
export const MandatePreview = z.strictObject({
  compared: z.enum(['widened', 'narrowed', 'changed', 'same']),
  /** What the principal should know: whom the terms lock out, what in them can never apply, and whether calls were left out. */
  warnings: z.array(z.string()),
  judged: z.int().nonnegative(),
  unjudged: z.int().nonnegative(),
  /** Newest first. */
  changed: z.array(z.strictObject({ call: CallId, tool: z.string(), agent: z.string(), at: Timestamp, was: Effect, now: Effect })),
});
export type MandatePreview = z.infer<typeof MandatePreview>;
