import type { ClientErrorCode } from '@countersign/client';

/** Why the process ended, for scripts. */
export const EXIT = {
  ok: 0,
  /** Refused, in conflict, or something was found. */
  refused: 1,
  /** Wrong usage or invalid input, the config file included. */
  invalid: 2,
  notFound: 3,
  notPermitted: 4,
  /** Not reachable, or not able to right now. */
  unavailable: 5,
  /** Our mistake. EX_SOFTWARE of sysexits.h. */
  bug: 70,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Printed below the help of the program. */
export const EXIT_CODES_HELP = `Exit codes:
  0   done
  1   refused, in conflict with what happened meanwhile, or something was found
  2   wrong usage or invalid input
  3   not found, or not yours
  4   not permitted
  5   the host cannot be reached, or cannot do it now
  70  a bug`;

export const EXIT_CODE = {
  'ingress.not_json': EXIT.invalid,
  'ingress.not_utf8': EXIT.invalid,
  'ingress.duplicate_key': EXIT.invalid,
  'ingress.forbidden_key': EXIT.invalid,
  'ingress.unsafe_number': EXIT.invalid,
  'ingress.bad_text': EXIT.invalid,
  'ingress.too_deep': EXIT.invalid,
  'ingress.too_many_nodes': EXIT.invalid,
  'ingress.too_large': EXIT.invalid,
  'ingress.batch': EXIT.invalid,
  'credential.missing': EXIT.notPermitted,
  'credential.invalid': EXIT.notPermitted,
  'credential.forbidden': EXIT.notPermitted,
  'csrf.missing': EXIT.notPermitted,
  'origin.refused': EXIT.notPermitted,
  'rate.limited': EXIT.unavailable,
  'limit.reached': EXIT.refused,
  'input.invalid': EXIT.invalid,
  'idempotency.conflict': EXIT.refused,
  not_found: EXIT.notFound,
  conflict: EXIT.refused,
  'tool.unknown': EXIT.notFound,
  'tool.quarantined': EXIT.refused,
  'upstream.down': EXIT.unavailable,
  'upstream.timeout': EXIT.unavailable,
  'upstream.bad_reply': EXIT.unavailable,
  'upstream.too_large': EXIT.unavailable,
  'upstream.cancelled': EXIT.unavailable,
  'call.refused_by_rule': EXIT.refused,
  'call.abandoned': EXIT.refused,
  'call.conflict': EXIT.refused,
  'decision.already_answered': EXIT.refused,
  'decision.expired': EXIT.refused,
  'decision.withdrawn': EXIT.refused,
  'decision.not_yours': EXIT.notPermitted,
  'decision.stale': EXIT.refused,
  'decision.digest_mismatch': EXIT.refused,
  'decision.edit_refused': EXIT.refused,
  'decision.note_required': EXIT.invalid,
  'decision.nobody_to_ask': EXIT.refused,
  'host.frozen': EXIT.refused,
  'mandate.invalid': EXIT.invalid,
  'scope.never_granted': EXIT.notPermitted,
  'agent.name_taken': EXIT.refused,
  'run.invalid': EXIT.notPermitted,
  'run.closed': EXIT.refused,
  'consult.asks_itself': EXIT.refused,
  'consult.cycle': EXIT.refused,
  'consult.too_deep': EXIT.refused,
  'consult.nobody_to_ask': EXIT.notFound,
  'consult.not_claimed': EXIT.refused,
  'consult.already_answered': EXIT.refused,
  'consult.withdrawn': EXIT.refused,
  'consult.expired': EXIT.refused,
  'evidence.reference_missing': EXIT.invalid,
  'rule.invalid': EXIT.invalid,
  'config.invalid': EXIT.invalid,
  'data.locked': EXIT.unavailable,
  'data.newer_schema': EXIT.unavailable,
  'store.unavailable': EXIT.unavailable,
  internal: EXIT.bug,
  'client.unreachable': EXIT.unavailable,
  'client.bad_answer': EXIT.unavailable,
} as const satisfies Record<ClientErrorCode, ExitCode>;

/** A code that this version does not know comes from a newer host: it refused. */
export const exitCodeOf = (code: string): ExitCode => (EXIT_CODE as Readonly<Record<string, ExitCode | undefined>>)[code] ?? EXIT.refused;
