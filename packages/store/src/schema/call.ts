import type { CallState, Ground } from '@countersign/contracts';
import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** One piece of work of one agent. Parent links form the chain; authority comes from these rows alone. */
export const run = pgTable(
  'run',
  {
    id: text().primaryKey(),
    agent: text().notNull(),
    principal: text().notNull(),
    parent: text(),
    /** What started it: a session's id, a consult's, or the agent's own standing run. */
    origin: text().notNull().unique(),
    task: text(),
    status: text({ enum: ['open', 'done', 'cancelled', 'expired'] }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** A consult's run ends with its question; null where nothing bounds it. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    endedAt: timestamp('ended_at', { withTimezone: true }),
  },
  (table) => [index('run_by_parent').on(table.parent), index('run_by_agent').on(table.agent)],
);

/** One tools/call as it arrived, frozen, with what became of it. `args` and `result` are exact texts, never jsonb, which would rewrite them. */
export const call = pgTable(
  'call',
  {
    id: text().primaryKey(),
    agent: text().notNull(),
    principal: text().notNull(),
    run: text().notNull(),
    tool: text().notNull(),
    args: text().notNull(),
    argsDigest: text('args_digest').notNull(),
    /** Set when a principal edited the arguments: what ran or will run. */
    effectiveArgs: text('effective_args'),
    toolDigest: text('tool_digest').notNull(),
    rulesDigest: text('rules_digest').notNull(),
    authority: integer().notNull(),
    mandateVersions: jsonb('mandate_versions').$type<Readonly<Record<string, number>>>().notNull(),
    effect: text({ enum: ['allow', 'ask', 'refuse'] }).notNull(),
    grounds: jsonb().$type<readonly Ground[]>().notNull(),
    claimed: text(),
    state: text().$type<CallState>().notNull(),
    version: integer().notNull(),
    attempt: integer().notNull(),
    leaseOwner: text('lease_owner'),
    leaseUntil: timestamp('lease_until', { withTimezone: true }),
    /** For a refused call: the outcome code that the agent is told; for a failed or unknown one, why. */
    cause: text(),
    reason: text(),
    result: text(),
    /** The caller was told the decision's id, so that its leaving ends only its wait. */
    toldAt: timestamp('told_at', { withTimezone: true }),
    /** The caller got the outcome: an identical call is judged afresh from here on. */
    deliveredAt: timestamp('delivered_at', { withTimezone: true }),
    isIdempotent: boolean('is_idempotent').notNull(),
    /** An attempt went out and nobody knows what came of it: whatever happens later, the call is not said to be not executed. */
    mayHaveRun: boolean('may_have_run').notNull().default(false),
    /** Principals whose term of limited uses this call was counted against: it is counted once, however often it is tried. */
    countedBy: text('counted_by').array(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    finishedAt: timestamp('finished_at', { withTimezone: true }),
  },
  (table) => [
    index('call_by_digest').on(table.agent, table.tool, table.argsDigest),
    index('call_unfetched')
      .on(table.agent, table.tool, table.argsDigest)
      .where(sql`${table.effect} = 'ask' and ${table.deliveredAt} is null`),
    index('call_by_run').on(table.run, table.id),
    index('call_open').on(table.state, table.leaseUntil),
  ],
);
