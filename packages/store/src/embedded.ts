import type { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { Queryable } from './database.ts';
import { type OpenPgliteOptions, openPglite } from './pglite.ts';
import type { SharedPglite } from './pglite-session.ts';
import * as schema from './schema/index.ts';
import { MIGRATIONS, openStore, type Store } from './store.ts';

/** The embedded profile's database: the store, and the same connection for the queue that lives in it. */
export type EmbeddedStore = { readonly store: Store; readonly pglite: SharedPglite };

/**
 * Opens (or makes) the database in a data directory and brings its schema up to date.
 * @throws DataLockedError (`data.locked`) while another process holds the directory.
 */
export async function openEmbeddedStore(dataDir: string | 'memory://', options: OpenPgliteOptions = {}): Promise<EmbeddedStore> {
  const pglite = await openPglite(dataDir, options);
  try {
    // drizzle calls `query` and `transaction` of a PGlite, which the shared one offers in the same form.
    const db = drizzle(pglite as unknown as PGlite, { schema });
    await migrate(db, { migrationsFolder: MIGRATIONS });
    return { store: openStore(db, () => pglite.close()), pglite };
  } catch (error) {
    await pglite.close();
    throw error;
  }
}

/** Empties every table; for tests that share one database. */
export async function truncateAll(db: Queryable): Promise<void> {
  const tables = Object.values(schema).map((table) => sql`${table}`);
  await db.execute(sql`truncate ${sql.join(tables, sql`, `)} restart identity cascade`);
}
