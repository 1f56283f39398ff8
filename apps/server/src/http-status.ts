import type { ErrorCode } from '@countersign/contracts';

/** The one place where an error code becomes an HTTP status. A new code does not compile until it stands here. */
export const HTTP_STATUS = {
  'ingress.not_json': 400,
  'ingress.not_utf8': 400,
  'ingress.duplicate_key': 400,
  'ingress.forbidden_key': 400,
  'ingress.unsafe_number': 400,
  'ingress.bad_text': 400,
  'ingress.too_deep': 400,
  'ingress.too_many_nodes': 413,
  'ingress.too_large': 413,
  'ingress.batch': 400,

  'credential.missing': 401,
  'credential.invalid': 401,
  'credential.forbidden': 403,
  'csrf.missing': 403,
  'origin.refused': 403,
  'rate.limited': 429,
  'limit.reached': 429,

  'input.invalid': 400,
  'idempotency.conflict': 409,
  not_found: 404,
  conflict: 409,

  'tool.unknown': 404,
  'tool.quarantined': 409,
  'upstream.down': 502,
  'upstream.timeout': 504,
  'upstream.bad_reply': 502,
  'upstream.too_large': 502,
  'upstream.cancelled': 504,

  'call.refused_by_rule': 422,
  'call.abandoned': 409,
  'call.conflict': 409,
  'decision.already_answered': 409,
  'decision.expired': 409,
  'decision.withdrawn': 409,
  'decision.not_yours': 403,
  'decision.stale': 409,
  'decision.digest_mismatch': 409,
  'decision.edit_refused': 422,
  'decision.note_required': 422,
  'decision.nobody_to_ask': 409,
  'host.frozen': 409,

  'mandate.invalid': 422,
  'scope.never_granted': 403,
  'agent.name_taken': 409,
  'evidence.reference_missing': 422,

  'rule.invalid': 422,
  'config.invalid': 422,

  'data.locked': 503,
  'data.newer_schema': 503,
  'store.unavailable': 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;
