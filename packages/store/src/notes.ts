import type { ConsultId, DecisionId, RunId } from '@countersign/contracts';
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import { iso, isoOrNull, type Queryable } from './database.ts';
import { note } from './schema/index.ts';

/** What a run above the caller's is told of a settled decision. `text` cites what principals wrote. */
export type NoteRecord = {
  readonly run: RunId;
  readonly decision: DecisionId;
  readonly agent: string;
  readonly consult: ConsultId;
  readonly text: string;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
};

const toNote = (row: typeof note.$inferSelect): NoteRecord => ({
  ...row,
  run: row.run as RunId,
  decision: row.decision as DecisionId,
  consult: row.consult as ConsultId,
  createdAt: iso(row.createdAt),
  deliveredAt: isoOrNull(row.deliveredAt),
});

/** Writes notes; one that is there already stays as it is. */
export async function insertNotes(db: Queryable, records: readonly NoteRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map((record) => ({ ...record, createdAt: new Date(record.createdAt), deliveredAt: null }));
  await db.insert(note).values(rows).onConflictDoNothing();
}

/** Marks up to `limit` undelivered notes of an agent as delivered: two requests at once never get the same one. */
export async function takeNotes(tx: Queryable, agent: string, at: string, limit: number): Promise<readonly NoteRecord[]> {
  const waiting = await tx
    .select()
    .from(note)
    .where(and(eq(note.agent, agent), isNull(note.deliveredAt)))
    .orderBy(asc(note.createdAt), asc(note.decision))
    .limit(limit)
    .for('update', { skipLocked: true });
  for (const { run, decision } of waiting) {
    await tx
      .update(note)
      .set({ deliveredAt: new Date(at) })
      .where(and(eq(note.run, run), eq(note.decision, decision)));
  }
  return waiting.map((row) => toNote({ ...row, deliveredAt: new Date(at) }));
}

export async function hasNotes(db: Queryable, agent: string): Promise<boolean> {
  const rows = await db
    .select({ run: note.run })
    .from(note)
    .where(and(eq(note.agent, agent), isNull(note.deliveredAt)))
    .limit(1);
  return rows.length > 0;
}

/** Every note of one consult, delivered or not, oldest first. */
export async function notesOfConsult(db: Queryable, consultId: string): Promise<readonly NoteRecord[]> {
  return (await db.select().from(note).where(eq(note.consult, consultId)).orderBy(asc(note.createdAt), asc(note.decision))).map(toNote);
}

/** The notes about these decisions. */
export async function notesAbout(db: Queryable, decisionIds: readonly string[]): Promise<readonly NoteRecord[]> {
  if (decisionIds.length === 0) return [];
  return (
    await db
      .select()
      .from(note)
      .where(inArray(note.decision, [...decisionIds]))
  ).map(toNote);
}
