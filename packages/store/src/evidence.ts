import type { EvidenceId, EvidenceSource } from '@countersign/contracts';
import { asc, count, eq, inArray } from 'drizzle-orm';
import { iso, type Queryable } from './database.ts';
import { evidence } from './schema/index.ts';

export type EvidenceRecord = {
  readonly id: EvidenceId;
  readonly agent: string;
  readonly principal: string;
  readonly run: string;
  readonly decision: string | null;
  readonly claim: string;
  readonly source: EvidenceSource;
  readonly reference: string | null;
  readonly at: string;
};

export async function insertEvidence(db: Queryable, record: EvidenceRecord): Promise<void> {
  await db.insert(evidence).values({ ...record, at: new Date(record.at) });
}

/** What was filed about these decisions, oldest first. */
export async function evidenceOf(db: Queryable, decisionIds: readonly string[]): Promise<readonly EvidenceRecord[]> {
  if (decisionIds.length === 0) return [];
  const rows = await db
    .select()
    .from(evidence)
    .where(inArray(evidence.decision, [...decisionIds]))
    .orderBy(asc(evidence.id));
  return rows.map((row) => ({ ...row, id: row.id as EvidenceId, at: iso(row.at) }));
}

/** How many pieces stand on one decision. */
export async function countEvidence(db: Queryable, decisionId: string): Promise<number> {
  const [row] = await db.select({ filed: count() }).from(evidence).where(eq(evidence.decision, decisionId));
  return row?.filed ?? 0;
}
