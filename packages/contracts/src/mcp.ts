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
} as const;

/** How a call that has no upstream result ended, for the agent. */
export const OUTCOME_CODES = [
  'pending',
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
