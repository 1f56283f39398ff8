import type { Scope } from '@countersign/contracts';
import { index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { principal } from './principal.ts';

/** A program acting for one principal. `folded` keeps look-alike names apart. */
export const agent = pgTable('agent', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  folded: text().notNull().unique(),
  principal: text()
    .notNull()
    .references(() => principal.name),
  status: text({ enum: ['probation', 'member', 'suspended'] }).notNull(),
  description: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/**
 * A secret's hash and what it stands for. `agent`: an agent's token. `principal`: a principal's token. `session`: a browser's cookie.
 * `login`: a one-time link, revoked by its first use.
 */
export const credential = pgTable(
  'credential',
  {
    id: text().primaryKey(),
    kind: text({ enum: ['agent', 'principal', 'session', 'login'] }).notNull(),
    agent: text().references(() => agent.name),
    principal: text()
      .notNull()
      .references(() => principal.name),
    secretHash: text('secret_hash').notNull().unique(),
    scopes: jsonb().$type<readonly Scope[]>(),
    hold: jsonb().$type<{ readonly wait: number; readonly wait_with_progress: number }>(),
    label: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (table) => [index('credential_by_agent').on(table.agent), index('credential_by_principal').on(table.principal)],
);
