import { integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { Budget, Scope, Term } from '@countersign/contracts';

/** A person whose terms agents act under. `name` is the handle that every other table refers to; it is never reused. */
export const principal = pgTable('principal', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  displayName: text('display_name').notNull(),
  email: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** Only ever appended: the row with the highest version is the current one. */
export const mandate = pgTable(
  'mandate',
  {
    principal: text()
      .notNull()
      .references(() => principal.name),
    version: integer().notNull(),
    scopes: jsonb().$type<readonly Scope[]>().notNull(),
    terms: jsonb().$type<readonly Term[]>().notNull(),
    budget: jsonb().$type<Budget>(),
    madeBy: text('made_by').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.principal, table.version] })],
);
