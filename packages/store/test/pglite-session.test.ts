import type { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPglite } from '../src/pglite.ts';
import { SharedPglite } from '../src/pglite-session.ts';

let pg: SharedPglite;
beforeAll(async () => {
  pg = await openPglite('memory://');
  await pg.exec('create table entry (n int, at timestamptz, tags text[]); create schema other; create table other.entry (n int)');
});
afterAll(() => pg.close());

const numbers = async (from = 'entry') => (await pg.query<{ n: number }>(`select n from ${from}`)).rows.map(({ n }) => n);

/** A promise and the function that settles it. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('statements', () => {
  it('run in the order in which they were issued (S1)', async () => {
    await pg.exec('truncate entry');
    await Promise.all(Array.from({ length: 50 }, (_, n) => pg.query('insert into entry (n) values ($1)', [n])));
    expect(await numbers()).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('fail with what PostgreSQL says of it', async () => {
    await expect(pg.query('select * from nowhere')).rejects.toMatchObject({ code: '42P01', severity: 'ERROR' });
    await expect(pg.exec('select 1; selekt 2')).rejects.toMatchObject({ code: '42601' });
    expect((await pg.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('answer rows as objects or arrays, parsed by PGlite or by the caller, side by side', async () => {
    const statement = `select 7::int8 as n, '2026-11-30T12:00:00Z'::timestamptz as at, array['a', 'b'] as tags, null::timestamptz as none`;
    const parsers = { 1184: (value: string) => `at ${value}` };
    const [plain, own] = await Promise.all([pg.query(statement), pg.query(statement, [], { rowMode: 'array', parsers })]);
    expect(plain.rows).toEqual([{ n: 7, at: new Date('2026-11-30T12:00:00Z'), tags: ['a', 'b'], none: null }]);
    expect(own.rows).toEqual([[7, 'at 2026-11-30 12:00:00+00', ['a', 'b'], null]]);
    const inOneTransaction = await pg.transaction((tx) => Promise.all([tx.query(statement, [], { parsers }), tx.query(statement)]));
    expect(inOneTransaction.map(({ rows }) => (rows[0] as { at: unknown }).at)).toEqual(['at 2026-11-30 12:00:00+00', plain.rows[0]?.at]);
  });
});

describe('a transaction', () => {
  it('has the connection to itself until it ends; everyone else waits (S1)', async () => {
    const order: string[] = [];
    const hold = gate();
    const first = pg.transaction(async (tx) => {
      await tx.query('select 1');
      order.push('first began');
      await hold.opened;
      await tx.query('select 1');
      order.push('first ends');
    });
    const second = pg.transaction(async (tx) => {
      order.push('second began');
      await tx.query('select 1');
    });
    const plain = pg.query('select 1').then(() => order.push('a plain statement'));
    const elsewhere = pg
      .withSearchPath('other')
      .query('select 1')
      .then(() => order.push('another session'));
    await vi.waitFor(() => expect(order).toEqual(['first began']));
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['first began']);
    hold.open();
    await Promise.all([first, second, plain, elsewhere]);
    expect(order).toEqual(['first began', 'first ends', 'second began', 'a plain statement', 'another session']);
  });

  it('leaves nothing behind when its work rejects, and hands on the error', async () => {
    await pg.exec('truncate entry');
    const bug = new Error('no');
    const failing = pg.transaction(async (tx) => {
      await tx.query('insert into entry (n) values (1)');
      throw bug;
    });
    await expect(failing).rejects.toBe(bug);
    expect(await numbers()).toEqual([]);
  });

  it('rejects when COMMIT rolls back because a statement had failed', async () => {
    await pg.exec('truncate entry');
    const failing = pg.transaction(async (tx) => {
      await tx.query('insert into entry (n) values (1)');
      await tx.query('select 1 / 0').catch(() => {});
    });
    await expect(failing).rejects.toMatchObject({ code: '25P02' });
    expect(await numbers()).toEqual([]);
  });

  it('ends early by rollback, and is of no use afterwards', async () => {
    await pg.exec('truncate entry');
    const late = await pg.transaction(async (tx) => {
      await tx.query('insert into entry (n) values (1)');
      await tx.rollback();
      return tx.query('insert into entry (n) values (2)').catch((error: Error) => error.message);
    });
    expect(late).toBe('the transaction is closed');
    expect(await numbers()).toEqual([]);
  });
});

describe('sessions', () => {
  it('keep their schemas apart, in transactions and out (S2)', async () => {
    await pg.exec('truncate entry, other.entry');
    const other = pg.withSearchPath('other');
    const insert = 'insert into entry (n) values ($1)';
    await Promise.all([
      pg.query(insert, [1]),
      other.query(insert, [2]),
      pg.transaction((tx) => tx.query(insert, [3])),
      other.transaction((tx) => tx.query(insert, [4])),
      other.transaction((tx) => tx.query(insert, [5]).then(() => tx.rollback())),
      pg.query(insert, [6]),
      other.exec('insert into entry (n) values (7)'),
    ]);
    expect(await numbers()).toEqual([1, 3, 6]);
    expect(await numbers('other.entry')).toEqual([2, 4, 7]);
  });
});

describe('the event loop', () => {
  it('gets its turn between back-to-back statements (S3)', async () => {
    let turns = 0;
    let turn = setImmediate(function count() {
      turns++;
      turn = setImmediate(count);
    });
    // Each takes longer than statements may run without a turn; PGlite itself would give none at all.
    for (let i = 0; i < 100; i++) await pg.query('select count(*) from generate_series(1, 30000)');
    clearImmediate(turn);
    expect(turns).toBeGreaterThanOrEqual(99);
  });
});

describe('drizzle', () => {
  const entry = pgTable('noted', { at: timestamp({ withTimezone: true }).notNull(), word: text().notNull() });

  it('runs on it as on PGlite itself, savepoints included', async () => {
    await pg.exec('create table noted (at timestamptz not null, word text not null)');
    const db = drizzle(pg as unknown as PGlite);
    const at = new Date('2026-11-30T12:00:00.123Z');
    await db.transaction(async (tx) => {
      await tx.insert(entry).values({ at, word: 'kept' });
      await tx
        .transaction(async (inner) => {
          await inner.insert(entry).values({ at, word: 'dropped' });
          throw new Error('only the inner one');
        })
        .catch(() => {});
    });
    expect(await db.select().from(entry)).toEqual([{ at, word: 'kept' }]);
    expect((await db.execute(sql`select count(*)::int as n from noted`)).rows).toEqual([{ n: 1 }]);
    await expect(db.execute(sql`select * from nowhere`)).rejects.toMatchObject({ cause: { code: '42P01' } });
  });
});

describe('listen', () => {
  it('hears what anyone notifies at its commit, until it is ended', async () => {
    const heard: string[] = [];
    const stop = await pg.listen('news', (payload) => heard.push(`one ${payload}`));
    const stopOther = await pg.listen('news', (payload) => heard.push(`two ${payload}`));
    await pg.withSearchPath('other').transaction(async (tx) => {
      await tx.query(`select pg_notify('news', 'a')`);
      expect(heard).toEqual([]);
    });
    await vi.waitFor(() => expect(heard).toEqual(['one a', 'two a']));
    await stop();
    await pg.exec(`notify news, 'b'`);
    await vi.waitFor(() => expect(heard).toEqual(['one a', 'two a', 'two b']));
    await stopOther();
    await pg.exec(`notify news, 'c'`);
    expect((await pg.query('select * from pg_listening_channels()')).rows).toEqual([]);
    expect(heard).toHaveLength(3);
  });

  it('takes plain channel names only', async () => {
    await expect(pg.listen('a; drop table entry', () => {})).rejects.toThrow('not a plain channel name');
  });
});

describe('an engine that dies', () => {
  /** Sessions over engines that the test can let die: the next statement of a dead one would spin for ever. */
  async function mortal() {
    const engines: { isDead: boolean; readonly statements: string[] }[] = [];
    const open = async () => {
      const engine = { isDead: false, statements: [] as string[] };
      engines.push(engine);
      const answer = async (statement: string) => {
        if (engine.isDead) throw new Error('spinning for ever');
        engine.statements.push(statement);
        if (statement !== 'die') return { rows: [], fields: [] };
        engine.isDead = true;
        throw Object.assign(new Error('could not write the log'), { severity: 'PANIC', code: '53100' });
      };
      const pglite = {
        parsers: {},
        onNotification: () => () => {},
        // The statement's text stands in the Parse message that a query begins with, after its tag, length and empty name.
        execProtocol: async (message: Uint8Array) => {
          await answer(Buffer.from(message.subarray(6, message.indexOf(0, 6))).toString());
          return { messages: [] };
        },
        exec: async (statement: string) => [await answer(statement)],
        close: () => answer('close'),
      };
      return pglite as unknown as PGlite;
    };
    return { engines, shared: await SharedPglite.start(open, () => {}) };
  }

  it('gets no further statement, not even a rollback, and the next caller gets a new one that listens as before (S4)', async () => {
    const { engines, shared } = await mortal();
    await shared.listen('news', () => {});
    const transaction = shared.transaction(async (tx) => {
      await tx.query('die').catch(() => {});
      await tx.query('insert');
    });
    await expect(transaction).rejects.toMatchObject({ code: '53100', severity: 'PANIC' });
    await shared.query('select');
    expect(engines.map(({ statements }) => statements)).toEqual([
      ['LISTEN news', 'BEGIN', 'die'],
      ['LISTEN news', 'select'],
    ]);
    await shared.close();
  });

  it('is not closed, and closing lets go all the same', async () => {
    const { engines, shared } = await mortal();
    await expect(shared.exec('die')).rejects.toThrow('could not write the log');
    await shared.close();
    expect(engines[0]?.statements).toEqual(['die']);
  });
});

describe('close', () => {
  it('lets what was issued before finish, rejects the rest, and may be repeated', async () => {
    const short = await openPglite('memory://');
    const before = short.transaction(async (tx) => (await tx.query('select 1 as one')).rows);
    const closing = short.close();
    const after = short.query('select 1');
    expect(await before).toEqual([{ one: 1 }]);
    await expect(after).rejects.toThrow('the database is closed');
    await closing;
    await short.close();
  });
});
