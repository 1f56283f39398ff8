import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';
import { idempotency, outbox } from './schema/index.ts';

export type OutboxJob = 'dispatch' | 'expire' | 'remind';

/** A promise to do `job` on `subject` at `runAt`; the relay hands it to the queue from `relayAt` on. */
export type OutboxRecord = { readonly job: OutboxJob; readonly subject: string; readonly runAt: string; readonly relayAt: string };

export async function putOutbox(db: Queryable, records: readonly OutboxRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map((record) => ({ ...record, runAt: new Date(record.runAt), relayAt: new Date(record.relayAt) }));
  await db
    .insert(outbox)
    .values(rows)
    .onConflictDoUpdate({ target: [outbox.job, outbox.subject], set: { runAt: sql`excluded.run_at`, relayAt: sql`excluded.relay_at` } });
}

/** Drops promises whose work is done. */
export async function dropOutbox(db: Queryable, job: OutboxJob, subjects: readonly string[]): Promise<void> {
  if (subjects.length > 0) await db.delete(outbox).where(and(eq(outbox.job, job), inArray(outbox.subject, [...subjects])));
}

/** The promises that are due for the relay, oldest first. */
export async function dueOutbox(db: Queryable, now: string, limit: number): Promise<readonly (OutboxRecord & { readonly id: number })[]> {
  const rows = await db
    .select()
    .from(outbox)
    .where(lte(outbox.relayAt, new Date(now)))
    .orderBy(asc(outbox.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, runAt: row.runAt.toISOString(), relayAt: row.relayAt.toISOString() }));
}

/** Drops promises that the queue holds now, unless they were made anew meanwhile. */
export async function handedOver(db: Queryable, records: readonly { readonly id: number; readonly relayAt: string }[]): Promise<void> {
  for (const record of records) {
    await db.delete(outbox).where(and(eq(outbox.id, record.id), eq(outbox.relayAt, new Date(record.relayAt))));
  }
}

export async function countOutbox(db: Queryable): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(outbox);
  return row?.count ?? 0;
}

export type IdempotencyRecord = {
  readonly key: string;
  readonly bodyDigest: string;
  readonly status: number;
  readonly body: string;
  readonly createdAt: string;
};

export async function findIdempotent(db: Queryable, key: string): Promise<IdempotencyRecord | null> {
  const [row] = await db.select().from(idempotency).where(eq(idempotency.key, key));
  return row ? { ...row, createdAt: row.createdAt.toISOString() } : null;
}

/** @returns false when the key is taken: read it again. */
export async function insertIdempotent(db: Queryable, record: IdempotencyRecord): Promise<boolean> {
  const rows = await db
    .insert(idempotency)
    .values({ ...record, createdAt: new Date(record.createdAt) })
    .onConflictDoNothing()
    .returning({ key: idempotency.key });
  return rows.length === 1;
}

/** Forgets answers older than `before`; a key is good for a day. */
export async function pruneIdempotent(db: Queryable, before: string): Promise<void> {
  await db.delete(idempotency).where(lte(idempotency.createdAt, new Date(before)));
}
