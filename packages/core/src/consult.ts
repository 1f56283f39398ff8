/**
 * A consult: one agent's question to another, from the asking to the answer.
 *
 *     open ──claim──▶ claimed ──answer──▶ answered
 *       ▲               │  ▲ └──claim, when the one who had it is gone
 *       └────release────┘  │
 *     open, claimed ──withdraw──▶ withdrawn
 *     open, claimed ──expire────▶ expired
 *
 * Q1 answered, withdrawn and expired are final: an answer is given once, and nothing that happens later overwrites it.
 * Q2 One transition takes effect, whoever races: it names the version it starts from, and the store applies it only there.
 * Q3 One claim holds at a time. Another takes its place only after its lease ran out and while nothing of the run is under way.
 * Q4 Only the holder of the claim answers.
 * Q5 Nothing is claimed or answered at or after the deadline, sweeper or no sweeper.
 * Q6 Every transition yields exactly one audit event.
 */
import { type AuditEventType, fail, ok, type Result } from '@countersign/contracts';
import type { Moment } from './decision.ts';

/** Who has the question: `holder` is the credential that asked for it, `until` how long it may be silent (ISO 8601 UTC). */
export type Claim = { readonly holder: string; readonly until: string };

/** `claims`: how often the question was handed out. */
type Common = { readonly version: number; readonly expiresAt: string; readonly claims: number };

export type ConsultState =
  | (Common & { readonly state: 'open' })
  | (Common & { readonly state: 'claimed'; readonly claim: Claim })
  | (Common & { readonly state: 'answered'; readonly settledAt: string })
  | (Common & { readonly state: 'withdrawn'; readonly by: string; readonly reason: string; readonly settledAt: string })
  | (Common & { readonly state: 'expired'; readonly settledAt: string });

export type ConsultStatus = ConsultState['state'];

export type ConsultCommand =
  /** `isQuiet`: no call of the run is under way or ended a moment ago; the store knows. */
  | { readonly type: 'claim'; readonly holder: string; readonly until: string; readonly isQuiet: boolean }
  | { readonly type: 'release'; readonly holder: string }
  | { readonly type: 'answer'; readonly holder: string }
  | { readonly type: 'withdraw'; readonly by: string; readonly reason: string }
  | { readonly type: 'expire' };

export type ConsultTransition = { readonly from: number; readonly next: ConsultState; readonly event: AuditEventType };

export type ConsultError =
  | 'consult.already_answered'
  | 'consult.withdrawn'
  | 'consult.expired'
  | 'consult.not_claimed'
  | 'conflict'
  | 'input.invalid';

/** A holder that is silent for longer counts as gone. Agents think for minutes between two calls; every request with the run token renews it. */
export const CLAIM_MS = 5 * 60_000;
/** How long a question waits for its answer, unless the asker's own run ends before. */
export const CONSULT_MS = 86_400_000;

/**
 * The whole behaviour, pure.
 * @returns the transition, or why there is none; an error changes nothing.
 */
export function decideConsult(
  state: ConsultState,
  command: ConsultCommand,
  { now, counted }: Moment,
): Result<ConsultTransition, ConsultError> {
  if (state.state !== 'open' && state.state !== 'claimed') return settled(state);
  const common = { version: state.version + 1, expiresAt: state.expiresAt, claims: state.claims };
  const to = (next: ConsultState, event: AuditEventType): Result<ConsultTransition, ConsultError> =>
    ok({ from: state.version, next, event });
  const isOverdue = counted >= state.expiresAt;
  const isHolder = (holder: string): boolean => state.state === 'claimed' && state.claim.holder === holder;
  switch (command.type) {
    case 'claim': {
      if (isOverdue) return overdue(state);
      const isTaken = state.state === 'claimed' && (now < state.claim.until || !command.isQuiet);
      if (isTaken) return fail('conflict', 'Somebody has this question and is at work on it.');
      const claim = { holder: command.holder, until: command.until };
      return to({ ...common, claims: state.claims + 1, state: 'claimed', claim }, 'consult.claimed');
    }
    case 'release':
      if (!isHolder(command.holder)) return notClaimed();
      return to({ ...common, state: 'open' }, 'consult.released');
    case 'answer':
      if (isOverdue) return overdue(state);
      if (!isHolder(command.holder)) return notClaimed();
      return to({ ...common, state: 'answered', settledAt: now }, 'consult.answered');
    case 'withdraw':
      return to({ ...common, state: 'withdrawn', by: command.by, reason: command.reason, settledAt: now }, 'consult.withdrawn');
    case 'expire':
      if (!isOverdue) return fail('input.invalid', `It does not expire before ${state.expiresAt}.`);
      return to({ ...common, state: 'expired', settledAt: now }, 'consult.expired');
    default:
      return command satisfies never;
  }
}

const overdue = (state: ConsultState): Result<never, ConsultError> =>
  fail('consult.expired', `This question expired at ${state.expiresAt}. Nobody waits for an answer any more.`);

const notClaimed = (): Result<never, ConsultError> =>
  fail(
    'consult.not_claimed',
    'This question was not handed to this credential, or was handed to another since. Get it with next_question.',
  );

function settled(state: Exclude<ConsultState, { state: 'open' | 'claimed' }>): Result<never, ConsultError> {
  switch (state.state) {
    case 'answered':
      return fail('consult.already_answered', `This question was answered at ${state.settledAt}; the first answer stands.`);
    case 'withdrawn':
      return fail('consult.withdrawn', `This question was taken back by ${state.by} at ${state.settledAt}.`);
    case 'expired':
      return overdue(state);
    default:
      return state satisfies never;
  }
}
