import type { Digest } from '@countersign/contracts';
import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from './database.ts';
import { host, termUse } from './schema/index.ts';

/** One term of a principal's mandate that allows a number of calls: named by its digest, `limit` uses in all. */
export type LimitedTerm = { readonly principal: string; readonly term: Digest; readonly limit: number };

/** How often the limited terms of a principal were used, by their digests; a term without a row was not. */
export async function usesOf(db: Queryable, principal: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.select().from(termUse).where(eq(termUse.principal, principal));
  return new Map(rows.map((row) => [row.term, row.used]));
}

/**
 * The authority version, with the host's row locked until the transaction ends: whoever counts uses or writes a mandate takes this lock
 * first, so that one never works on what the other is about to change. Readers do not wait for it.
 */
export async function lockAuthority(tx: Transaction): Promise<number> {
  const [row] = await tx.select({ authority: host.authority }).from(host).for('update');
  if (!row) throw new Error('The row of the host is missing.');
  return row.authority;
}

/**
 * Counts one use of each term; the caller holds the authority's lock and rolls back on `null`.
 * @returns whether one of them is used up by this; null when one of them was used up before.
 */
export async function takeUses(tx: Transaction, terms: readonly LimitedTerm[]): Promise<{ readonly isLast: boolean } | null> {
  let isLast = false;
  for (const { principal, term, limit } of terms) {
    const [row] = await tx
      .insert(termUse)
      .values({ principal, term, used: 1 })
      .onConflictDoUpdate({
        target: [termUse.principal, termUse.term],
        set: { used: sql`${termUse.used} + 1` },
        setWhere: sql`${termUse.used} < ${limit}`,
      })
      .returning({ used: termUse.used });
    if (!row) return null;
    isLast ||= row.used >= limit;
  }
  return { isLast };
}

/** Forgets the uses of terms that are no longer in the mandate: the same term written again later counts from nothing. */
export async function dropUsesExcept(tx: Transaction, principal: string, terms: readonly Digest[]): Promise<void> {
  await tx
    .delete(termUse)
    .where(and(eq(termUse.principal, principal), terms.length > 0 ? notInArray(termUse.term, [...terms]) : undefined));
}
