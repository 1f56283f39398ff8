/**
 * The decision machine: the one thing here with a state machine, and all of its behaviour.
 *
 *     pending ──answer(approve) × needs──▶ approved
 *        │ ├────answer(refuse)───────────▶ refused
 *        │ ├────expire───────────────────▶ expired
 *        │ └────withdraw─────────────────▶ withdrawn
 *        └──answer(approve) while more are needed, extend ──▶ pending
 *
 * D1 approved, refused, expired and withdrawn are final.
 * D2 One transition takes effect, whoever races: a transition names the version it starts from, and the store applies it only there.
 * D3 No answer takes effect at or after the deadline, sweeper or no sweeper. Silence ends as `expired`, never as a "no".
 * D4 Only the principals that the question names answer it, each once. An agent is never one of them.
 * D5 The question (call, context, grounds, digests) never changes after it is raised; only deadline and state do.
 * D6 Every transition yields exactly one audit event.
 * D7 An answer names the version and the digest that the principal was shown; anything else is refused as stale.
 * D8 An irreversible question is approved only with a typed note.
 */
import { type AuditEventType, type Digest, fail, ok, type Result } from '@countersign/contracts';

/** What was asked, fixed when the decision was raised. `answerBy` and `principal` are handles; times are ISO 8601 UTC. */
export type Question = {
  readonly answerBy: readonly string[];
  readonly needs: number;
  readonly shownDigest: Digest;
  readonly irreversible: boolean;
};

export type Approval = { readonly principal: string; readonly at: string };

type Common = { readonly version: number; readonly expiresAt: string };

export type DecisionState =
  | (Common & { readonly state: 'pending'; readonly approvals: readonly Approval[] })
  | (Common & { readonly state: 'approved'; readonly approvals: readonly Approval[]; readonly settledAt: string })
  | (Common & { readonly state: 'refused'; readonly by: string; readonly settledAt: string })
  | (Common & { readonly state: 'expired'; readonly settledAt: string })
  | (Common & { readonly state: 'withdrawn'; readonly by: string; readonly reason: string; readonly settledAt: string });

export type DecisionCommand =
  | {
      readonly type: 'answer';
      readonly principal: string;
      readonly effect: 'approve' | 'refuse';
      readonly note: string | null;
      readonly version: number;
      readonly shownDigest: Digest;
    }
  | { readonly type: 'extend'; readonly principal: string; readonly version: number; readonly expiresAt: string }
  | { readonly type: 'expire' }
  | { readonly type: 'withdraw'; readonly by: string; readonly reason: string };

/**
 * The moment a command acts at, ISO 8601 UTC. `counted` is what deadlines are measured against: the same as `now`, or the moment of the
 * freeze while the host is frozen, since deadlines stop then.
 */
export type Moment = { readonly now: string; readonly counted: string };

/** What a command does: the state after it and the one audit event that says so. */
export type DecisionTransition = { readonly from: number; readonly next: DecisionState; readonly event: AuditEventType };

export type DecisionError =
  | 'decision.already_answered'
  | 'decision.expired'
  | 'decision.withdrawn'
  | 'decision.not_yours'
  | 'decision.stale'
  | 'decision.digest_mismatch'
  | 'decision.note_required'
  | 'input.invalid';

/**
 * The whole behaviour, pure.
 * @returns the transition, or why there is none; an error changes nothing.
 */
export function decide(
  question: Question,
  state: DecisionState,
  command: DecisionCommand,
  { now, counted }: Moment,
): Result<DecisionTransition, DecisionError> {
  if (state.state !== 'pending') return settled(state);
  const version = state.version + 1;
  const isOverdue = counted >= state.expiresAt;
  switch (command.type) {
    case 'answer': {
      if (!question.answerBy.includes(command.principal)) return fail('decision.not_yours', notYours(question));
      if (isOverdue) return fail('decision.expired', `It expired at ${state.expiresAt}. Silence is not consent; nothing was executed.`);
      const stale = isStale(question, state, command);
      if (stale) return stale;
      if (command.effect === 'refuse') {
        return ok({
          from: state.version,
          next: { state: 'refused', version, expiresAt: state.expiresAt, by: command.principal, settledAt: now },
          event: 'decision.refused',
        });
      }
      if (question.irreversible && !command.note?.trim()) {
        return fail('decision.note_required', 'This cannot be undone. Write a note that says why you approve it.');
      }
      if (state.approvals.some((approval) => approval.principal === command.principal)) {
        return fail('decision.already_answered', 'You approved this already; it waits for another principal.');
      }
      const approvals = [...state.approvals, { principal: command.principal, at: now }];
      return approvals.length >= question.needs
        ? ok({
            from: state.version,
            next: { state: 'approved', version, expiresAt: state.expiresAt, approvals, settledAt: now },
            event: 'decision.approved',
          })
        : ok({ from: state.version, next: { ...state, version, approvals }, event: 'decision.approval_recorded' });
    }
    case 'extend': {
      if (!question.answerBy.includes(command.principal)) return fail('decision.not_yours', notYours(question));
      if (isOverdue) return fail('decision.expired', `It expired at ${state.expiresAt}.`);
      if (command.version !== state.version) return fail('decision.stale', staleMessage(state, command.version));
      if (command.expiresAt <= state.expiresAt) return fail('input.invalid', 'A deadline can only be moved later.');
      return ok({ from: state.version, next: { ...state, version, expiresAt: command.expiresAt }, event: 'decision.extended' });
    }
    case 'expire':
      if (!isOverdue) return fail('input.invalid', `It does not expire before ${state.expiresAt}.`);
      return ok({
        from: state.version,
        next: { state: 'expired', version, expiresAt: state.expiresAt, settledAt: now },
        event: 'decision.expired',
      });
    case 'withdraw':
      return ok({
        from: state.version,
        next: { state: 'withdrawn', version, expiresAt: state.expiresAt, by: command.by, reason: command.reason, settledAt: now },
        event: 'decision.withdrawn',
      });
    default:
      return command satisfies never;
  }
}

export type AllowedCommand = 'approve' | 'refuse' | 'extend';

/** What this principal may do right now, found by asking `decide`. The page draws its buttons from this and keeps no rules of its own. */
export function allowedCommands(question: Question, state: DecisionState, principal: string, moment: Moment): readonly AllowedCommand[] {
  const answer = {
    type: 'answer',
    principal,
    note: 'asked in order to know',
    version: state.version,
    shownDigest: question.shownDigest,
  } as const;
  const commands: Record<AllowedCommand, DecisionCommand> = {
    approve: { ...answer, effect: 'approve' },
    refuse: { ...answer, effect: 'refuse' },
    extend: { type: 'extend', principal, version: state.version, expiresAt: '9999-12-31T23:59:59.999Z' },
  };
  return (Object.keys(commands) as AllowedCommand[]).filter((name) => decide(question, state, commands[name], moment).ok);
}

function settled(state: Exclude<DecisionState, { state: 'pending' }>): Result<never, DecisionError> {
  const detail = { state: state.state, at: state.settledAt };
  switch (state.state) {
    case 'approved': {
      const by = state.approvals.map((approval) => approval.principal);
      return fail('decision.already_answered', `Already approved by ${by.join(' and ')} at ${state.settledAt}.`, { ...detail, by });
    }
    case 'refused':
      return fail('decision.already_answered', `Already refused by ${state.by} at ${state.settledAt}.`, { ...detail, by: [state.by] });
    case 'expired':
      return fail('decision.expired', 'It expired: nobody answered, nothing was executed.', detail);
    case 'withdrawn':
      return fail('decision.withdrawn', `Withdrawn by ${state.by}: ${state.reason}`, { ...detail, by: [state.by] });
    default:
      return state satisfies never;
  }
}

function isStale(
  question: Question,
  state: DecisionState,
  command: Extract<DecisionCommand, { type: 'answer' }>,
): Result<never, DecisionError> | null {
  if (command.version !== state.version) return fail('decision.stale', staleMessage(state, command.version));
  if (command.shownDigest !== question.shownDigest) {
    return fail('decision.digest_mismatch', 'What you were shown is not what would run. Load the decision again.');
  }
  return null;
}

const staleMessage = (state: DecisionState, seen: number): string =>
  `It changed since you loaded it (you saw version ${seen}, it is at ${state.version}). Load it again.`;

const notYours = (question: Question): string => `Only ${question.answerBy.join(', ')} may answer this.`;
