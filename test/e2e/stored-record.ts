/** The database of a host that does not run, read and written behind the product's back. */
import type { AuditEvent } from '@countersign/contracts';
import { openEmbeddedStore, queryAudit } from '@countersign/store';

export type Row = Readonly<Record<string, unknown>>;
export type Database = {
  readonly rows: (statement: string) => Promise<readonly Row[]>;
  /** Every event, oldest first. */
  readonly events: () => Promise<readonly AuditEvent[]>;
};

/** Opens the data directory of a host that has ended, runs `work` on it and closes it. Rejects while a process holds the directory. */
export async function withDatabase<Value>(dataDir: string, work: (database: Database) => Promise<Value>): Promise<Value> {
  const { store } = await openEmbeddedStore(dataDir);
  try {
    return await work({
      rows: async (statement) => ((await store.db.execute(statement)) as { readonly rows: readonly Row[] }).rows,
      events: async () => {
        const all: AuditEvent[] = [];
        let cursor: string | undefined;
        do {
          const page = await queryAudit(store.db, 'all', { order: 'oldest', limit: 200, ...(cursor !== undefined && { cursor }) });
          all.push(...page.items);
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return all;
      },
    });
  } finally {
    await store.close();
  }
}
