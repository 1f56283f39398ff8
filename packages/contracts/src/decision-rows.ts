import * as z from 'zod';
import { Decision, DecisionQuery, page } from './http.ts';

/** One decision as a list shows it. It costs the same for a call of ten bytes and of a megabyte: the record has the rest. */
export const DecisionRow = Decision.pick({
  id: true,
  kind: true,
  state: true,
  version: true,
  shownDigest: true,
  title: true,
  principal: true,
  agent: true,
  irreversible: true,
  allowed: true,
  createdAt: true,
  expiresAt: true,
  settledAt: true,
}).extend({
  tool: z.string().nullable(),
  /** Runs between the principal's own request and the call. */
  hops: z.int().nonnegative(),
  /** The strictest ground: its plain-English condition, or its reason where that says "always". */
  why: z.string(),
  /** Ids of the rules among its grounds. */
  rules: z.array(z.string()),
  /**
   * Up to four plain arguments that tell calls of one tool apart; what was cut ends in `…`. None where the title shows values already, and
   * none for arguments over 16 KB.
   */
  telling: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  /** Size of the arguments as canonical JSON; 0 where there is no call. */
  argumentBytes: z.int().nonnegative(),
  /** The principals who answered so far, the first one first. */
  settledBy: z.array(z.string()),
});
export type DecisionRow = z.infer<typeof DecisionRow>;

/** `total` counts every match, not only this page; it stops at 100,000. */
export const DecisionRowPage = page(DecisionRow).extend({ total: z.int().nonnegative() });
export type DecisionRowPage = z.infer<typeof DecisionRowPage>;

export const DecisionRowQuery = DecisionQuery.extend({
  /** Raised at or after this moment. */
  since: z.iso.datetime().optional(),
  /** Raised before this moment. */
  until: z.iso.datetime().optional(),
});
export type DecisionRowQuery = z.infer<typeof DecisionRowQuery>;
