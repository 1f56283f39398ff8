import { createPostgresBackend, runMigrations } from 'bullmq';
import { bullmqQueue } from './bullmq.ts';
import { type PgliteConnection, pglitePool } from './pglite-pool.ts';
import type { JobQueue, QueueLog } from './queue.ts';

/** BullMQ's tables (`job`, `event`, `meta`, …) and functions, apart from ours. */
const SCHEMA = 'bullmq';

/**
 * The job queue of the embedded profile: BullMQ in the store's own PGlite, in a schema of its own that is brought up to date
 * here. `close()` leaves PGlite open: it is the store's.
 */
export async function openPgliteQueue(pglite: { withSearchPath(searchPath: string): PgliteConnection }, log: QueueLog): Promise<JobQueue> {
  const pool = pglitePool(pglite.withSearchPath(SCHEMA));
  const client = await pool.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    client.release();
  }
  return bullmqQueue({ backend: createPostgresBackend, connection: pool, log, closeConnection: () => pool.end() });
}
