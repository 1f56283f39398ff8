import type { MandateTerms, PrincipalId } from '@countersign/contracts';
import { and, asc, desc, eq } from 'drizzle-orm';
import { iso, type Queryable } from './database.ts';
import { mandate, principal } from './schema/index.ts';

export type PrincipalRecord = {
  readonly id: PrincipalId;
  readonly name: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly createdAt: string;
};

const toPrincipal = (row: typeof principal.$inferSelect): PrincipalRecord => ({
  ...row,
  id: row.id as PrincipalId,
  createdAt: iso(row.createdAt),
});

/** @returns false when the name is taken. */
export async function insertPrincipal(db: Queryable, record: PrincipalRecord): Promise<boolean> {
  const rows = await db
    .insert(principal)
    .values({ ...record, createdAt: new Date(record.createdAt) })
    .onConflictDoNothing()
    .returning({ id: principal.id });
  return rows.length === 1;
}

export async function listPrincipals(db: Queryable): Promise<readonly PrincipalRecord[]> {
  return (await db.select().from(principal).orderBy(asc(principal.name))).map(toPrincipal);
}

export async function findPrincipal(db: Queryable, name: string): Promise<PrincipalRecord | null> {
  const [row] = await db.select().from(principal).where(eq(principal.name, name));
  return row ? toPrincipal(row) : null;
}

export type MandateRecord = MandateTerms & {
  readonly principal: string;
  readonly version: number;
  readonly madeBy: string;
  readonly createdAt: string;
};

const toMandate = (row: typeof mandate.$inferSelect): MandateRecord => ({
  principal: row.principal,
  version: row.version,
  scopes: [...row.scopes],
  terms: [...row.terms],
  ...(row.budget && { budget: row.budget }),
  madeBy: row.madeBy,
  createdAt: iso(row.createdAt),
});

/** Appends a version. @returns false when that version is there already: somebody else was first. */
export async function appendMandate(db: Queryable, record: MandateRecord): Promise<boolean> {
  const rows = await db
    .insert(mandate)
    .values({ ...record, budget: record.budget ?? null, createdAt: new Date(record.createdAt) })
    .onConflictDoNothing()
    .returning({ version: mandate.version });
  return rows.length === 1;
}

/** The current mandate of a principal, or the one of a version. */
export async function findMandate(db: Queryable, name: string, version?: number): Promise<MandateRecord | null> {
  const [row] = await db
    .select()
    .from(mandate)
    .where(and(eq(mandate.principal, name), version === undefined ? undefined : eq(mandate.version, version)))
    .orderBy(desc(mandate.version))
    .limit(1);
  return row ? toMandate(row) : null;
}
