import type { ConsultStatus } from '@countersign/core';
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { run } from './call.ts';
import { decision } from './decision.ts';

/** One agent's question to another, and the run that it started. The answer is written once. */
export const consult = pgTable(
  'consult',
  {
    id: text().primaryKey(),
    /** The asked agent's run, child of the asker's. */
    run: text()
      .notNull()
      .unique()
      .references(() => run.id),
    askerRun: text('asker_run')
      .notNull()
      .references(() => run.id),
    asker: text().notNull(),
    askerPrincipal: text('asker_principal').notNull(),
    /** The credential that asked: what narrows or ends it narrows or ends everything below. */
    askedWith: text('asked_with'),
    agent: text().notNull(),
    principal: text().notNull(),
    question: text().notNull(),
    questionDigest: text('question_digest').notNull(),
    state: text().$type<ConsultStatus>().notNull(),
    version: integer().notNull(),
    claims: integer().notNull(),
    holder: text(),
    claimedUntil: timestamp('claimed_until', { withTimezone: true }),
    /** SHA-256 of the run token that the holder has. */
    tokenHash: text('token_hash').unique(),
    answer: text(),
    settledBy: text('settled_by'),
    settledReason: text('settled_reason'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    settledAt: timestamp('settled_at', { withTimezone: true }),
    /** The asker got the answer: the same question is a new one from here on. */
    deliveredAt: timestamp('delivered_at', { withTimezone: true }),
  },
  (table) => [
    index('consult_queue').on(table.agent, table.state, table.createdAt),
    index('consult_by_question').on(table.asker, table.agent, table.questionDigest),
    index('consult_by_asker_run').on(table.askerRun, table.state),
    index('consult_by_deadline').on(table.state, table.expiresAt),
  ],
);

/** What a run above the caller's is told of a settled decision; `delivered_at` is the receipt. */
export const note = pgTable(
  'note',
  {
    run: text()
      .notNull()
      .references(() => run.id),
    decision: text()
      .notNull()
      .references(() => decision.id),
    /** Whose run it is. */
    agent: text().notNull(),
    /** The consult of this run that the decision lies below. */
    consult: text().notNull(),
    text: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    deliveredAt: timestamp('delivered_at', { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.run, table.decision] }),
    index('note_undelivered').on(table.agent).where(sql`${table.deliveredAt} is null`),
    index('note_by_decision').on(table.decision),
    index('note_by_consult').on(table.consult),
  ],
);
