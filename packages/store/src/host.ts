import type { Digest } from '@countersign/contracts';
import { eq, isNull, sql } from 'drizzle-orm';
import { iso, isoOrNull, type Queryable } from './database.ts';
import { host, tool } from './schema/index.ts';

export type HostRecord = {
  /** Grows with every change of authority; see the table. */
  readonly authority: number;
  readonly frozen: { readonly at: string; readonly by: string; readonly reason: string } | null;
  readonly seededAt: string | null;
};

const toHost = (row: typeof host.$inferSelect): HostRecord => ({
  authority: row.authority,
  frozen: row.frozenAt ? { at: iso(row.frozenAt), by: row.frozenBy ?? '', reason: row.frozenReason ?? '' } : null,
  seededAt: isoOrNull(row.seededAt),
});

export async function readHost(db: Queryable): Promise<HostRecord> {
  const [row] = await db.select().from(host);
  if (row) return toHost(row);
  await db.insert(host).values({ authority: 1 }).onConflictDoNothing();
  return readHost(db);
}

/** Says, in the transaction of a change of authority, that whatever was judged before must be judged again. */
export async function bumpAuthority(db: Queryable): Promise<void> {
  await db.update(host).set({ authority: sql`${host.authority} + 1` });
}

export async function setSeeded(db: Queryable, at: string): Promise<void> {
  await db.update(host).set({ seededAt: new Date(at) });
}

/** @returns false when it is frozen already. */
export async function setFrozen(
  db: Queryable,
  frozen: { readonly at: string; readonly by: string; readonly reason: string },
): Promise<boolean> {
  const rows = await db
    .update(host)
    .set({ frozenAt: new Date(frozen.at), frozenBy: frozen.by, frozenReason: frozen.reason })
    .where(isNull(host.frozenAt))
    .returning({ only: host.only });
  return rows.length === 1;
}

/** Clears the freeze that began at `frozenAt`. @returns false when it is not frozen since then. */
export async function clearFrozen(db: Queryable, frozenAt: string): Promise<boolean> {
  const rows = await db
    .update(host)
    .set({ frozenAt: null, frozenBy: null, frozenReason: null })
    .where(eq(host.frozenAt, new Date(frozenAt)))
    .returning({ only: host.only });
  return rows.length === 1;
}

export type ToolRecord = {
  readonly key: string;
  readonly server: string;
  readonly name: string;
  readonly firstDigest: Digest;
  /** The definition that people rely on; differs from `currentDigest` while the tool is quarantined. */
  readonly acceptedDigest: Digest;
  readonly currentDigest: Digest;
  /** RFC 8785 text of the raw definition that is accepted. */
  readonly definition: string;
  readonly state: 'accepted' | 'quarantined' | 'gone';
  readonly firstSeenAt: string;
  readonly changedAt: string;
};

export async function listTools(db: Queryable): Promise<readonly ToolRecord[]> {
  const rows = await db.select().from(tool).orderBy(tool.key);
  return rows.map((row) => ({
    ...row,
    firstDigest: row.firstDigest as Digest,
    acceptedDigest: row.acceptedDigest as Digest,
    currentDigest: row.currentDigest as Digest,
    firstSeenAt: iso(row.firstSeenAt),
    changedAt: iso(row.changedAt),
  }));
}

export async function saveTool(db: Queryable, record: ToolRecord): Promise<void> {
  const row = { ...record, firstSeenAt: new Date(record.firstSeenAt), changedAt: new Date(record.changedAt) };
  await db.insert(tool).values(row).onConflictDoUpdate({ target: tool.key, set: row });
}
