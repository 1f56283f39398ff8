/** Keys of `_meta` that we write or read. */
export const META = {
  /** On a held result: `{id, state, expiresAt, url}`. */
  decision: 'io.countersign/decision',
  /** On every result that is not the upstream's own: `{code, ...}`. */
  outcome: 'io.countersign/outcome',
  /** On a request: what the agent says of its own situation. Quoted, never believed. */
  context: 'io.countersign/context',
  /** On a call that goes upstream: the same for every attempt under one approval. */
  idempotencyKey: 'io.countersign/idempotency-key',
  /**
   * The run token. On the result of `next_question`: given to the asked agent. On a request: says that it belongs to that question's run; it is
   * believed only together with the credential that it was given to. A request without it acts for its agent alone.
   */
  run: 'io.countersign/run',
  /** On a pending, expired or withdrawn consult: `{id, state, expiresAt}`. */
  consult: 'io.countersign/consult',
} as const;

/** How a call that has no upstream result ended, for the agent; `approved` is the "yes" to a question that has no call. */
export const OUTCOME_CODES = [
  'pending',
  'approved',
  'refused_by_principal',
  'refused_by_rule',
  'expired',
  'withdrawn',
  'failed',
  'outcome_unknown',
] as const;
export type OutcomeCode = (typeof OUTCOME_CODES)[number];

/** Response header that names the caller's lane. */
export const LANE_HEADER = 'Countersign-Lane';
