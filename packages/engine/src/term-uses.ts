/**
 * Terms that allow a number of calls. A use is counted in the transaction that makes a call's intent durable, under the lock of the
 * authority, so that no number of callers at once gets more than the term allows. The last use changes what the mandate covers: it raises
 * the authority, and whoever judged by the older one judges again. Calls that no such term covers never come here.
 */
import type { Digest, Term } from '@countersign/contracts';
import type { CompiledMandate, Verdict } from '@countersign/core';
import {
  appendAudit,
  bumpAuthority,
  findApproved,
  holdRunOpen,
  type Intent,
  insertCall,
  type LimitedTerm,
  lockAuthority,
  type Queryable,
  type Transaction,
  takeUses,
  usesOf,
} from '@countersign/store';
import { announceAuthority } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import { digestOf } from './digest.ts';

/** What a term's uses are counted under: all of it, so that a term that was changed counts from nothing. */
export const termDigest = (term: Term): Digest => digestOf(term);

/** How often each of a principal's terms was used, by place; 0 for terms without a limit, which nobody counts. */
export async function usedTerms(db: Queryable, principal: string, terms: readonly Term[]): Promise<readonly number[]> {
  if (terms.every((term) => term.uses === undefined)) return terms.map(() => 0);
  const uses = await usesOf(db, principal);
  return terms.map((term) => (term.uses === undefined ? 0 : (uses.get(termDigest(term)) ?? 0)));
}

/** Places of the terms that are used up. */
export const spentPlaces = (terms: readonly Term[], used: readonly number[]): readonly number[] =>
  terms.flatMap((term, place) => (term.uses !== undefined && (used[place] ?? 0) >= term.uses ? place : []));

const NONE: readonly LimitedTerm[] = [];

/** Of the terms that cover a call, those whose uses are counted. */
export function limitedAmong(mandates: readonly CompiledMandate[], covered: Verdict['covered']): readonly LimitedTerm[] {
  let limited = NONE;
  for (const { principal, term: place } of covered) {
    const term = mandates.find((mandate) => mandate.principal === principal)?.terms[place];
    if (term?.uses !== undefined) limited = [...limited, { principal, term: termDigest(term), limit: term.uses }];
  }
  return limited;
}

/** Counts the uses in a transaction that holds the authority's lock. @returns whether the authority was raised by it. */
export async function countUses(tx: Transaction, terms: readonly LimitedTerm[]): Promise<boolean> {
  const taken = await takeUses(tx, terms);
  // A term that is used up raised the authority, so whoever holds the lock at the authority it was judged under finds one left.
  if (!taken) throw new Error('A term was used up without a change of authority.');
  if (taken.isLast) await bumpAuthority(tx);
  return taken.isLast;
}

/** Records the intent of an allowed call and counts its uses: both or neither. @returns false where `recordIntent` would not record it. */
export async function recordCounted(deps: EngineDeps, { call, event }: Intent, terms: readonly LimitedTerm[]): Promise<boolean> {
  const counted = await deps.store.transact(async (tx) => {
    if ((await lockAuthority(tx)) !== call.authority || !(await holdRunOpen(tx, call.run, call.createdAt))) return null;
    if (await findApproved(tx, call)) return null;
    const isLast = await countUses(tx, terms);
    await insertCall(tx, { ...call, countedBy: terms.map((term) => term.principal) });
    await appendAudit(tx, [event]);
    return { isLast };
  });
  if (counted?.isLast) announceAuthority(deps);
  return counted !== null;
}
