import type { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema/index.ts';

/** drizzle over PGlite or PostgreSQL; the two drivers share this type, so queries are written once. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];
export type Queryable = Database | Transaction;

type Sql = ReturnType<typeof sql>;

/** Rows of a hand-written statement, whichever driver ran it: PGlite answers `{rows}`, postgres.js an array. */
export async function rowsOf<Row>(db: Queryable, statement: Sql): Promise<readonly Row[]> {
  const answer: unknown = await db.execute(statement);
  return (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows) as Row[];
}

export const iso = (date: Date): string => date.toISOString();
export const isoOrNull = (date: Date | null): string | null => date?.toISOString() ?? null;
