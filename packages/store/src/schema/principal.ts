import type { Budget, Scope, Term } from '@countersign/contracts';
import { integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

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

/** How often a term of limited uses was used: one row for each such term of a principal's current mandate, from its first use on. */
export const termUse = pgTable(
  'term_use',
  {
    principal: text()
      .notNull()
      .references(() => principal.name),
    /** Digest of the whole term: as long as it stands in the mandate unchanged, its uses go on counting. */
    term: text().notNull(),
    used: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.principal, table.term] })],
);
