/**
 * `remember`: an approved call becomes a term of the mandate of the principal who approved it.
 *
 * M1 Never wider than the call that was shown and ran: the tool, every argument by value, no other argument (D7).
 * M2 In force only after the call has succeeded; until then only the wish stands, on the answer.
 * M3 Only a principal's own answer adds to that principal's own mandate, on top of whatever it is by then.
 */
import { type AnswerInput, type Decision, type ErrorCode, fail, ok, type Result, type Term } from '@countersign/contracts';
import { compareMandates, narrowTerm } from '@countersign/core';
import {
  type AnswerRecord,
  answersOf,
  appendAudit,
  appendMandate,
  bumpAuthority,
  type CallRecord,
  type DecisionRecord,
  decisionsOfCall,
  findMandate,
  type Queryable,
  type Transaction,
} from '@countersign/store';
import { about } from './raise-decision.ts';
import { holdsRedacted } from './redact.ts';
import type { Tools } from './redact-paths.ts';
import { later } from './settle-call.ts';

/** Where the person names no time: long enough to be of use, short enough that a forgotten term ends by itself. */
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
/** As many as a mandate may hold. */
const MAX_TERMS = 2000;
/** No term is longer than its source may be, so longer arguments need not be written out to find that out. */
const MAX_ARGS = 4096;

function termOf(tools: Tools, { tool }: Pick<CallRecord, 'tool'>, text: string): Result<Term, 'mandate.invalid'> {
  if (text.length > MAX_ARGS) return fail('mandate.invalid', 'The arguments of this call are too large to be remembered as a term.');
  const args: unknown = JSON.parse(text);
  return holdsRedacted(tools, tool, args)
    ? fail(
        'mandate.invalid',
        'Some arguments of this call are shown to nobody, and a term would spell them out. Write one by hand that does not.',
      )
    : narrowTerm(tool, args);
}

/** The term that `remember` would add for this decision, without time and uses; null where there is nothing to remember. */
export function rememberTerm(tools: Tools, decision: Pick<DecisionRecord, 'kind'>, call: CallRecord | null): Term | null {
  if (decision.kind !== 'call' || !call) return null;
  const term = termOf(tools, call, call.effectiveArgs ?? call.args);
  return term.ok ? term.value : null;
}

/** The wish that goes with an answer, or why it can't be kept: told to the person now, not when the call has run. */
export function readWish(
  tools: Tools,
  input: Pick<AnswerInput, 'effect' | 'remember'>,
  decision: Pick<DecisionRecord, 'kind'>,
  call: CallRecord | null,
  editedArgs: string | null,
  now: string,
): Result<AnswerRecord['remember'], ErrorCode> {
  if (input.remember === undefined) return ok(null);
  if (input.effect === 'refuse') return fail('input.invalid', 'Only an approval can be remembered.');
  if (decision.kind !== 'call' || !call) {
    return fail(
      'input.invalid',
      'There is no call here that could be remembered. A term that an agent proposes gets into your mandate by your own hand.',
    );
  }
  const term = termOf(tools, call, editedArgs ?? call.effectiveArgs ?? call.args);
  if (!term.ok) return term;
  const { ttl_days: days = DEFAULT_DAYS, uses = null } = input.remember;
  return ok({ expiresAt: later(now, days * DAY_MS), uses });
}

/** One approval that is to be remembered. */
export type Wish = {
  readonly principal: string;
  readonly decision: Decision['id'];
  readonly expiresAt: string;
  readonly uses: number | null;
};

/** The wishes that stand for a call, one a principal. */
export async function wishesOf(db: Queryable, call: CallRecord): Promise<readonly Wish[]> {
  const live = (await decisionsOfCall(db, call.id)).filter((decision) => decision.kind === 'call' && decision.supersededBy === null);
  const answers = await answersOf(
    db,
    live.map((decision) => decision.id),
  );
  const wishes = answers.flatMap(({ effect, principal, decision, remember }) =>
    effect === 'approve' && remember ? { principal, decision, ...remember } : [],
  );
  return [...new Map(wishes.map((wish) => [wish.principal, wish])).values()];
}

/**
 * Adds the terms of a call that succeeded, in the transaction that records its success and holds the lock of the authority.
 * @returns the principals whose mandate has a new version.
 */
export async function keepWishes(
  tx: Transaction,
  tools: Tools,
  call: CallRecord,
  wishes: readonly Wish[],
  now: string,
): Promise<readonly string[]> {
  const term = termOf(tools, call, call.effectiveArgs ?? call.args);
  if (!term.ok) return [];
  const kept: string[] = [];
  for (const { principal, decision, expiresAt, uses } of wishes) {
    const before = await findMandate(tx, principal);
    const added: Term = { ...term.value, expires_at: expiresAt, ...(uses !== null && { uses }) };
    if (!before || expiresAt <= now || before.terms.length >= MAX_TERMS) continue;
    const next = { ...before, terms: [...before.terms, added], version: before.version + 1, madeBy: principal, createdAt: now };
    // The lock is held, so nobody else can have written this version.
    if (!(await appendMandate(tx, next))) throw new Error(`${principal}'s mandate moved under its lock.`);
    await appendAudit(tx, [
      {
        type: `mandate.${compareMandates(before, next)}`,
        at: now,
        actor: { kind: 'principal', name: principal },
        ...about(call),
        principal,
        decision,
        payload: { version: next.version, from: before.version, remembered: added },
      },
    ]);
    kept.push(principal);
  }
  if (kept.length > 0) await bumpAuthority(tx);
  return kept;
}
