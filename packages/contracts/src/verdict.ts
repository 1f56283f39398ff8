import * as z from 'zod';

export const Effect = z.enum(['allow', 'ask', 'refuse']);
export type Effect = z.infer<typeof Effect>;

/**
 * One reason behind a verdict. `rule`: a host rule matched or could not be evaluated. `term`: no term of the mandate covers the arguments.
 * `tool`: its definition changed. `earlier_no`: the same or a like call was refused before. `frozen`: the host is frozen.
 */
export const GroundKind = z.enum(['rule', 'term', 'spend', 'tool', 'earlier_no', 'frozen']);
export type GroundKind = z.infer<typeof GroundKind>;

export const Ground = z.strictObject({
  kind: GroundKind,
  effect: z.enum(['ask', 'refuse']),
  /** Why, in words for the person who answers. */
  reason: z.string(),
  /** The rule's id, for kind `rule`. */
  rule: z.string().optional(),
  /** The rule's or term's plain-English condition. */
  when: z.string().optional(),
  /** Names of the principals that this ground belongs to; any of them may answer. */
  answerBy: z.array(z.string()).readonly(),
  /** How many different principals must approve on this ground. */
  needs: z.int().min(1),
  /** Milliseconds that a decision on this ground waits. */
  expiresMs: z.int().positive(),
  remindMs: z.int().positive().optional(),
  irreversible: z.boolean(),
  /** Shadow grounds are recorded and never hold a call. */
  mode: z.enum(['enforce', 'shadow']),
  /** The predicate could not be evaluated, so it counts as matching. */
  unevaluable: z.string().optional(),
});
export type Ground = Readonly<z.infer<typeof Ground>>;
