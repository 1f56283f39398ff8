/**
 * The life of one call, from the verdict to its outcome.
 *
 *     running ──complete──▶ done          (allowed: runs at once, inside the request)
 *        ├──────fail──────▶ failed
 *        └──────lose──────▶ unknown
 *     held ────approve────▶ queued ──claim──▶ executing ──complete──▶ done
 *        ├──────refuse────▶ refused  │  ▲         ├────────fail──────▶ failed ──retry──▶ queued
 *        └──────abandon───▶ abandoned│  └─release─┤
 *                                    │            └────────lose──────▶ unknown ──retry──▶ queued
 *     held ◀──────reopen─────────────┤                                    └──settle──▶ done | failed
 *     refused ◀───refuse─────────────┘
 *     held, queued ──refuse, abandon──▶ unknown, where an earlier attempt may have taken effect (C7)
 *
 * C1 done, refused and abandoned are final; failed and unknown leave only by a person's word (`retry`, `settle`).
 * C2 One transition takes effect: the store applies it only at the version it starts from.
 * C3 A call is sent only from `running` (once, by the process that admitted it) or `executing` (by the one that holds the lease).
 * C4 `refused` and `abandoned` have no way to `executing`.
 * C5 A call whose lease ran out is `unknown`, never sent again by itself, unless the host marked the tool idempotent: then it is released
 *    and sent again under the same key.
 * C6 A call that certainly did not leave may be released to the queue; one that may have left may not.
 * C7 Once an attempt may have taken effect, the call never ends as not executed: only what upstream answers, or a person's word, ends it
 *    otherwise than as `unknown`.
 */
import { type AuditEventType, type CallState, fail, ok, type Result } from '@countersign/contracts';

/** Why a call ended as `refused`: what the agent is told. */
export type RefusalCause = 'refused_by_principal' | 'refused_by_rule' | 'expired' | 'withdrawn';

export type CallLife = {
  readonly state: CallState;
  readonly version: number;
  /** How often it was claimed. */
  readonly attempt: number;
  /** Who holds the lease, and until when (ISO 8601 UTC). */
  readonly lease: { readonly owner: string; readonly until: string } | null;
  /** An attempt went out and nobody knows what came of it. */
  readonly mayHaveRun: boolean;
};

export type CallCommand =
  | { readonly type: 'approve' }
  | { readonly type: 'refuse'; readonly cause: RefusalCause }
  | { readonly type: 'abandon' }
  | { readonly type: 'reopen' }
  | { readonly type: 'claim'; readonly owner: string; readonly until: string }
  | { readonly type: 'complete'; readonly owner: string | null }
  /** `answered`: upstream said so; otherwise this attempt certainly did not leave, which says nothing of those before it. */
  | { readonly type: 'fail'; readonly owner: string | null; readonly answered: boolean }
  | { readonly type: 'lose' }
  | { readonly type: 'release'; readonly sent: boolean; readonly idempotent: boolean }
  | { readonly type: 'retry' }
  | { readonly type: 'settle'; readonly as: 'done' | 'failed' };

export type CallTransition = { readonly from: number; readonly next: CallLife; readonly event: AuditEventType };

/** All of a call's behaviour. Pure; an error changes nothing. */
export function advance(life: CallLife, command: CallCommand): Result<CallTransition, 'call.conflict'> {
  const to = (state: CallState, event: AuditEventType, changes: Partial<CallLife> = {}): Result<CallTransition, 'call.conflict'> =>
    ok({ from: life.version, next: { ...life, lease: null, ...changes, state, version: life.version + 1 }, event });
  const refuse = (): Result<CallTransition, 'call.conflict'> =>
    fail('call.conflict', `A call that is ${life.state} can't ${command.type}.`, { state: life.state });
  const toUnknown = () => to('unknown', 'call.outcome_unknown', { mayHaveRun: true });
  const isIn = (...states: readonly CallState[]): boolean => states.includes(life.state);
  const holdsLease = (owner: string | null): boolean =>
    life.state === 'running' ? owner === null : life.state === 'executing' && life.lease?.owner === owner;

  switch (command.type) {
    case 'approve':
      return isIn('held') ? to('queued', 'call.queued') : refuse();
    case 'refuse':
      if (!isIn('held', 'queued')) return refuse();
      return life.mayHaveRun ? toUnknown() : to('refused', 'call.refused');
    case 'abandon':
      if (!isIn('held')) return refuse();
      return life.mayHaveRun ? toUnknown() : to('abandoned', 'call.abandoned');
    case 'reopen':
      return isIn('queued') ? to('held', 'call.voided') : refuse();
    case 'claim':
      return isIn('queued')
        ? to('executing', 'call.claimed', { attempt: life.attempt + 1, lease: { owner: command.owner, until: command.until } })
        : refuse();
    case 'complete':
      return holdsLease(command.owner) ? to('done', 'call.completed') : refuse();
    case 'fail':
      if (!holdsLease(command.owner)) return refuse();
      return life.mayHaveRun && !command.answered ? toUnknown() : to('failed', 'call.failed');
    case 'lose':
      return isIn('running', 'executing') ? toUnknown() : refuse();
    case 'release':
      return isIn('executing') && (!command.sent || command.idempotent)
        ? to('queued', 'call.queued', { mayHaveRun: life.mayHaveRun || command.sent })
        : refuse();
    case 'retry':
      return isIn('failed', 'unknown') ? to('queued', 'call.queued') : refuse();
    case 'settle':
      return isIn('unknown') ? to(command.as, command.as === 'done' ? 'call.completed' : 'call.failed') : refuse();
    default:
      return command satisfies never;
  }
}

/** Whether a lease was held and has run out, so that nobody will record the outcome. */
export const isLeaseOver = (life: CallLife, now: string): boolean =>
  life.state === 'executing' && life.lease !== null && now >= life.lease.until;

/** Nothing more happens to it by itself. */
export const isFinished = (state: CallState): boolean => ['done', 'failed', 'unknown', 'refused', 'abandoned'].includes(state);
