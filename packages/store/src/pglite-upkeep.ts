import type { PgliteSession } from './pglite-session.ts';

/** Between checkpoints; bounds both the log on disk and the time to recover after a kill -9 (about 1 s). */
const CHECKPOINT_AFTER_BYTES = 64 * 1024 * 1024;

/**
 * What PostgreSQL's background processes do, which PGlite does not have: measured, its write-ahead log grows without bound
 * until close, and dead rows are never reclaimed. Checkpoints when due and vacuums the tables that need it (autovacuum's own
 * thresholds), each in a statement of its own so that others get in between.
 */
export async function upkeep(pg: PgliteSession): Promise<void> {
  const { rows: log } = await pg.query<{ isDue: boolean }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > $1 as "isDue" from pg_control_checkpoint()`,
    [CHECKPOINT_AFTER_BYTES],
  );
  if (log[0]?.isDue) await pg.exec('checkpoint');

  const { rows: tables } = await pg.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
      where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`,
  );
  for (const { name } of tables) await pg.exec(`vacuum (analyze) ${name}`);
}
