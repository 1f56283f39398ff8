import type { SharedPglite } from '@countersign/store';
import { openPglite } from '@countersign/store';
import type { PgNotification, PgPoolClient } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { pglitePool } from '../src/pglite-pool.ts';

let pg: SharedPglite;
let pool: ReturnType<typeof pglitePool>;
beforeAll(async () => {
  pg = await openPglite('memory://');
  await pg.exec('create schema own; create table own.entry (n int); create table public.entry (n int)');
});
afterAll(() => pg.close());
beforeEach(async () => {
  await pg.exec('truncate own.entry, public.entry');
  pool = pglitePool(pg.withSearchPath('own'));
});
afterEach(() => pool.end());

const numbers = async () => (await pool.query<{ n: number }>('select n from entry order by n')).rows.map(({ n }) => n);
const channels = async () => (await pg.query<{ name: string }>('select pg_listening_channels() as name')).rows.map(({ name }) => name);

describe('queries', () => {
  it('answer rows and how many there were, with and without parameters', async () => {
    expect(await pool.query('insert into entry values ($1), ($2)', [1, 2])).toEqual({ rows: [], rowCount: 2 });
    expect(await pool.query('insert into entry values (3)')).toEqual({ rows: [], rowCount: 1 });
    expect(await pool.query('select n from entry where n > $1 order by n', [1])).toEqual({ rows: [{ n: 2 }, { n: 3 }], rowCount: 2 });
    expect(await pool.query('delete from entry where n = 1; select 5 as five')).toEqual({ rows: [{ five: 5 }], rowCount: 1 });
  });

  it('hand on what PostgreSQL says of an error', async () => {
    const failing = pool.query(`do $$ begin raise exception 'no' using errcode = 'BM001', detail = '-6'; end $$`);
    await expect(failing).rejects.toMatchObject({ code: 'BM001', detail: '-6' });
  });

  it('stay in the schema of the connection, next to a user of the same table name', async () => {
    await Promise.all([
      pool.query('insert into entry values (1)'),
      pg.query('insert into entry values (2)'),
      pool.query('insert into entry values (3)'),
    ]);
    expect(await numbers()).toEqual([1, 3]);
  });
});

describe('a transaction', () => {
  const insert = (client: PgPoolClient, n: number) => client.query('insert into entry values ($1)', [n]);

  it.each(['COMMIT', 'commit;', '-- done\nCOMMIT'])('keeps what it did at %j', async (commit) => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await insert(client, 1);
    await client.query(commit);
    client.release();
    expect(await numbers()).toEqual([1]);
  });

  it.each(['ROLLBACK', 'release'])('leaves nothing behind at %s', async (how) => {
    const client = await pool.connect();
    await client.query('BEGIN TRANSACTION');
    await insert(client, 1);
    if (how === 'ROLLBACK') await client.query('ROLLBACK');
    client.release();
    expect(await numbers()).toEqual([]);
  });

  it('takes turns with another one and with everyone else, however their statements interleave', async () => {
    const [a, b] = [await pool.connect(), await pool.connect()];
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    await a.query('BEGIN');
    const bRuns = (async () => {
      await b.query('BEGIN').then(note('b begins'));
      await insert(b, 20);
      await b.query('ROLLBACK').then(note('b ends'));
    })();
    const plain = pool.query('insert into entry values (30)').then(note('pool'));
    const drizzle = pg.transaction((tx) => tx.query('insert into own.entry values (40)')).then(note('drizzle'));
    await insert(a, 10);
    await insert(a, 11);
    expect(await a.query('select count(*)::int as n from entry')).toMatchObject({ rows: [{ n: 2 }] });
    expect(order).toEqual([]);
    await a.query('COMMIT').then(note('a ends'));
    await Promise.all([bRuns, plain, drizzle]);
    expect(order).toEqual(['a ends', 'b begins', 'b ends', 'pool', 'drizzle']);
    expect(await numbers()).toEqual([10, 11, 30, 40]);
  });

  it('that failed can be rolled back, and its client used again', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(insert(client, 1)).rejects.toMatchObject({ code: '25P02' });
    await client.query('ROLLBACK');
    await insert(client, 2);
    expect(await numbers()).toEqual([2]);
  });

  it('is not reported as committed when a statement had failed', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await insert(client, 1);
    await client.query('select 1 / 0').catch(() => {});
    await expect(client.query('COMMIT')).rejects.toMatchObject({ code: '25P02' });
    expect(await numbers()).toEqual([]);
  });

  it('keeps SET LOCAL to itself', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('SET LOCAL search_path TO public');
    await insert(client, 1);
    await client.query('COMMIT');
    expect(await numbers()).toEqual([]);
    expect((await pg.query('select n from entry')).rows).toEqual([{ n: 1 }]);
  });

  it('needs a client of its own, and one at a time', async () => {
    await expect(pool.query('BEGIN')).rejects.toThrow('needs a client of its own');
    const client = await pool.connect();
    await client.query('BEGIN');
    await expect(client.query('BEGIN')).rejects.toThrow('in a transaction already');
    await client.query('ROLLBACK');
  });

  it('is not taken for one where a statement only mentions it', async () => {
    const client = await pool.connect();
    expect((await client.query(`select 'BEGIN' as word -- BEGIN`)).rows).toEqual([{ word: 'BEGIN' }]);
    await client.query('do $$ begin insert into entry values (1); end $$');
    expect(await numbers()).toEqual([1]);
  });
});

describe('notifications', () => {
  const LISTEN = '-- Subscribe the dedicated client to the jobs channel.\n/* shared */\nLISTEN news;\n';

  async function listener() {
    const client = await pool.connect();
    const heard: PgNotification[] = [];
    client.on('notification', (notification) => heard.push(notification));
    await client.query(LISTEN);
    return { client, heard };
  }

  it('reach a client that listens, by a statement that opens with comments, within 100 ms', async () => {
    const { heard } = await listener();
    const waits: number[] = [];
    for (let i = 1; i <= 15; i++) {
      const sentAt = performance.now();
      await pool.query('select pg_notify($1, $2)', ['news', String(i)]);
      await vi.waitFor(() => expect(heard).toHaveLength(i), { interval: 1 });
      waits.push(performance.now() - sentAt);
    }
    expect(heard[0]).toEqual({ channel: 'news', payload: '1' });
    expect(waits.sort((a, b) => a - b)[7]).toBeLessThan(100);
  });

  it('reach each listening client once, and none after UNLISTEN, release or the end of the pool', async () => {
    const [one, two, three] = [await listener(), await listener(), await listener()];
    await one.client.query(LISTEN);
    await pool.query(`notify news, 'a'`);
    await vi.waitFor(() => expect([one, two, three].map(({ heard }) => heard.length)).toEqual([1, 1, 1]));

    await one.client.query('UNLISTEN *');
    two.client.release(true);
    await pool.query(`notify news, 'b'`);
    await vi.waitFor(() => expect([one, two, three].map(({ heard }) => heard.length)).toEqual([1, 1, 2]));
    expect(await channels()).toEqual(['news']);

    await pool.end();
    await vi.waitFor(async () => expect(await channels()).toEqual([]));
  });

  it('arrive while another client is between BEGIN and COMMIT only when it commits', async () => {
    const { heard } = await listener();
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`notify news, 'later'`);
    expect(heard).toEqual([]);
    await client.query('COMMIT');
    await vi.waitFor(() => expect(heard).toEqual([{ channel: 'news', payload: 'later' }]));
  });
});
