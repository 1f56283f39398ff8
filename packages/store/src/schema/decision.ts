import type { DecisionKind, DecisionStatus, Ground, Hop } from '@countersign/contracts';
import { boolean, index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { call } from './call.ts';

/** A question put to a principal. What was asked never changes; state, version and deadline do, by compare-and-set on the version. */
export const decision = pgTable(
  'decision',
  {
    id: text().primaryKey(),
    kind: text().$type<DecisionKind>().notNull(),
    call: text().references(() => call.id),
    request: jsonb().$type<Readonly<Record<string, unknown>>>(),
    tool: text(),
    title: text().notNull(),
    principal: text().notNull(),
    answerBy: text('answer_by').array().notNull(),
    needs: integer().notNull(),
    agent: text().notNull(),
    run: text().notNull(),
    chain: jsonb().$type<readonly Hop[]>().notNull(),
    grounds: jsonb().$type<readonly Ground[]>().notNull(),
    context: jsonb().$type<{ readonly seen: Readonly<Record<string, unknown>>; readonly claimed: string | null }>().notNull(),
    irreversible: boolean().notNull(),
    shownDigest: text('shown_digest').notNull(),
    state: text().$type<DecisionStatus>().notNull(),
    version: integer().notNull(),
    approvals: jsonb().$type<readonly { readonly principal: string; readonly at: string }[]>().notNull(),
    settledBy: text('settled_by'),
    settledReason: text('settled_reason'),
    supersedes: text(),
    supersededBy: text('superseded_by'),
    afterRefusalOf: text('after_refusal_of'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    remindAt: timestamp('remind_at', { withTimezone: true }),
    settledAt: timestamp('settled_at', { withTimezone: true }),
  },
  (table) => [
    index('decision_by_state').on(table.state, table.id),
    index('decision_by_deadline').on(table.state, table.expiresAt),
    index('decision_by_call').on(table.call),
    index('decision_by_agent').on(table.agent, table.state),
    index('decision_by_run').on(table.run),
    index('decision_by_answerer').using('gin', table.answerBy),
  ],
);

/** Only appended; one principal answers a decision once. */
export const answer = pgTable(
  'answer',
  {
    id: text().primaryKey(),
    decision: text()
      .notNull()
      .references(() => decision.id),
    principal: text().notNull(),
    effect: text({ enum: ['approve', 'refuse'] }).notNull(),
    note: text(),
    editedArgs: text('edited_args'),
    /** The wish to remember the call as a term, kept until the call has succeeded. */
    remember: jsonb().$type<{ readonly expiresAt: string; readonly uses: number | null }>(),
    shownDigest: text('shown_digest').notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [uniqueIndex('answer_once').on(table.decision, table.principal)],
);
