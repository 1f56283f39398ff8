import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../src/pglite.ts';
import type { SharedPglite } from '../src/pglite-session.ts';
import { upkeep } from '../src/pglite-upkeep.ts';

let pg: SharedPglite;
beforeAll(async () => {
  pg = await openPglite('memory://');
});
afterAll(() => pg.close());

const one = async <T>(sql: string) => (await pg.query<{ value: T }>(sql)).rows[0]?.value;
const bytesSinceCheckpoint = () =>
  one<number>('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::int as value from pg_control_checkpoint()');
const log = (megabytes: number) =>
  pg.exec(`select pg_logical_emit_message(true, 'filler', repeat('x', 1000000)) from generate_series(1, ${megabytes})`);

describe('upkeep', () => {
  it('checkpoints once 64 MB of log have gathered, and not before', async () => {
    await pg.exec('checkpoint');
    await log(60);
    await upkeep(pg);
    expect(await bytesSinceCheckpoint()).toBeGreaterThan(60_000_000);
    await log(10);
    await upkeep(pg);
    expect(await bytesSinceCheckpoint()).toBeLessThan(1_000_000);
  });

  it('reclaims dead rows and leaves tables without them alone', async () => {
    await pg.exec('create table busy as select n from generate_series(1, 1000) n; create table quiet (n int)');
    await pg.exec('update busy set n = n + 1');
    await pg.exec('select pg_stat_force_next_flush()');
    await upkeep(pg);
    const vacuumed = `select array_agg(relname::text order by relname) as value from pg_stat_user_tables where last_vacuum is not null`;
    expect(await one(vacuumed)).toEqual(['busy']);
    expect(await one(`select n_dead_tup::int as value from pg_stat_user_tables where relname = 'busy'`)).toBe(0);
  });
});
