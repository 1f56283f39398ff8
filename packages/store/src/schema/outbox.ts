import { bigint, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

/**
 * Promises to wake somebody, written in the transaction that makes them. A row goes when its work is done, or when the relay has handed it to
 * the queue; the tables stay the truth, so a row that is lost or doubled costs time only.
 */
export const outbox = pgTable(
  'outbox',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    job: text({ enum: ['dispatch', 'expire', 'remind'] }).notNull(),
    subject: text().notNull(),
    runAt: timestamp('run_at', { withTimezone: true }).notNull(),
    /** When the relay takes it: the fast path has until then to do the work by itself. */
    relayAt: timestamp('relay_at', { withTimezone: true }).notNull(),
    attempts: integer().notNull().default(0),
  },
  (table) => [uniqueIndex('outbox_once').on(table.job, table.subject), index('outbox_due').on(table.relayAt)],
);

/** The answer that an Idempotency-Key got, so that a repeated write is answered and not done again. */
export const idempotency = pgTable(
  'idempotency',
  {
    key: text().primaryKey(),
    bodyDigest: text('body_digest').notNull(),
    status: integer().notNull(),
    body: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('idempotency_by_age').on(table.createdAt)],
);
