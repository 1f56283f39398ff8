import { bigint, boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * One row. `authority` grows with every change to mandates, agents, credentials, tools or the freeze: whoever judged a call under an
 * older number judges again, so a narrowing holds from the next request on, in every process.
 */
export const host = pgTable('host', {
  only: boolean().primaryKey().default(true),
  authority: bigint({ mode: 'number' }).notNull(),
  frozenAt: timestamp('frozen_at', { withTimezone: true }),
  frozenBy: text('frozen_by'),
  frozenReason: text('frozen_reason'),
  seededAt: timestamp('seeded_at', { withTimezone: true }),
});

/** An upstream tool as it was first seen and as it is now. The definition is the raw message's, in canonical form. */
export const tool = pgTable('tool', {
  key: text().primaryKey(),
  server: text().notNull(),
  name: text().notNull(),
  firstDigest: text('first_digest').notNull(),
  acceptedDigest: text('accepted_digest').notNull(),
  currentDigest: text('current_digest').notNull(),
  definition: text().notNull(),
  state: text({ enum: ['accepted', 'quarantined', 'gone'] }).notNull(),
  changes: integer().notNull().default(0),
  firstSeenAt: timestamp('first_seen_at', { withTimezone: true }).notNull(),
  changedAt: timestamp('changed_at', { withTimezone: true }).notNull(),
});
