import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openPglite } from '../src/pglite.ts';
import { cachedSnapshot, unpackSnapshot } from '../src/pglite-snapshot.ts';

const home = mkdtempSync(join(tmpdir(), 'countersign-pglite-'));
let lastDirectory = 0;
const newDataDir = () => join(home, `data-${++lastDirectory}`);

afterAll(() => rmSync(home, { recursive: true, force: true }));

const startWriter = (dataDir: string): ChildProcess =>
  fork(new URL('./pglite.writer.ts', import.meta.url), [dataDir], {
    execArgv: ['--import', 'tsx'],
    cwd: import.meta.dirname,
  });

async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

describe('openPglite', () => {
  it('makes the database once, for its owner only, and keeps what was written', async () => {
    const dataDir = newDataDir();
    let firstStarts = 0;
    const open = () => openPglite(dataDir, { onFirstStart: () => firstStarts++ });

    const pg = await open();
    await pg.exec('create table kept (n int); insert into kept values (7)');
    await pg.close();
    expect(statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir)).toEqual(['database']);

    const again = await open();
    expect((await again.query('select n from kept')).rows).toEqual([{ n: 7 }]);
    expect(firstStarts).toBe(1);
    await again.close();
  });

  it('refuses a second opening while the first lasts, and leaves the first alone', async () => {
    const dataDir = newDataDir();
    const pg = await openPglite(dataDir);
    await expect(openPglite(dataDir)).rejects.toMatchObject({ code: 'data.locked', pid: process.pid, directory: dataDir });
    expect((await pg.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pg.close();
  });

  it("lets go of the directory when the database can't be opened", async () => {
    const dataDir = newDataDir();
    mkdirSync(join(dataDir, 'database'), { recursive: true });
    writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '1\n');
    await expect(openPglite(dataDir)).rejects.toThrow();
    expect(readdirSync(dataDir)).toEqual(['database']);
  });

  it('starts afresh after a first start that was killed half-way', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir);
    const watcher = watch(dataDir);
    const begun = new Promise<void>((resolve) => {
      watcher.on('change', (_, name) => name === 'database.new' && resolve());
    });
    const writer = startWriter(dataDir);
    await begun;
    await kill(writer);
    watcher.close();
    expect(readdirSync(dataDir)).toContain('database.new');
    expect(existsSync(join(dataDir, 'database'))).toBe(false);

    const pg = await openPglite(dataDir);
    expect((await pg.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pg.close();
    expect(readdirSync(dataDir)).toEqual(['database']);
  });

  it('reopens after kill -9 in the middle of writing, with every acknowledged row (C1)', async () => {
    const dataDir = newDataDir();
    let acknowledged = -1;
    for (let round = 0; round < 2; round++) {
      const writer = startWriter(join(dataDir, String(round)));
      await once(writer, 'message');
      await expect(openPglite(join(dataDir, String(round)))).rejects.toMatchObject({ pid: writer.pid });
      await new Promise<void>((resolve) => {
        writer.on('message', (n: number) => {
          acknowledged = n;
          if (n === 150 + round * 37) resolve();
        });
      });
      await kill(writer);

      const pg = await openPglite(join(dataDir, String(round)));
      const { rows } = await pg.query<{ n: number }>('select n from row order by n');
      expect(rows.slice(0, acknowledged + 1).map(({ n }) => n)).toEqual(Array.from({ length: acknowledged + 1 }, (_, n) => n));
      await pg.close();
    }
  });

  it('opens an empty database in memory', async () => {
    const pg = await openPglite('memory://');
    expect((await pg.query('select count(*)::int as tables from pg_tables where schemaname = $1', ['public'])).rows).toEqual([
      { tables: 0 },
    ]);
    await pg.close();
  });
});

describe('the cached snapshot', () => {
  it('is built once and unpacks to a database that opens', { timeout: 120_000 }, async () => {
    const path = join(home, 'cache', 'snapshot.tar');
    expect(await cachedSnapshot({ path })).toEqual({ path });
    const { mtimeMs } = statSync(path);
    expect(await cachedSnapshot({ path })).toEqual({ path });
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(join(home, 'cache'))).toEqual(['snapshot.tar']);

    const dataDir = newDataDir();
    mkdirSync(dataDir);
    unpackSnapshot({ path }, join(dataDir, 'database'));
    const pg = await openPglite(dataDir, { onFirstStart: () => expect.unreachable() });
    expect((await pg.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pg.close();
  });

  it("is done without where it can't be kept", async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    expect(await cachedSnapshot({ path: join(file, 'snapshot.tar') })).toBeUndefined();
  });
});

/** A small disk that can be filled and enlarged; undefined where this process may not mount one. */
function mountSmallDisk(): string | undefined {
  const disk = join(home, 'disk');
  try {
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', disk], { stdio: 'ignore' });
    return disk;
  } catch {
    console.warn('\n*** NOT TESTED: a full disk (it takes root on Linux to mount a small one) ***\n');
    return undefined;
  }
}

const disk = mountSmallDisk();
afterAll(() => {
  if (disk !== undefined) execFileSync('umount', [disk]);
});

describe.runIf(disk !== undefined)('on a full disk', () => {
  const home = disk ?? '';
  const freeBytes = () => statfsSync(home).bavail * statfsSync(home).bsize;

  it.each([
    // Inserts extend the table's file first. A message to the log extends the log, whose failure is a PANIC: the engine dies.
    ['the table', 'insert into filled select $1, string_agg(md5(random()::text), $2) from generate_series(1, 200)', 100_000],
    ['the log', `insert into filled select $1, $2 || pg_logical_emit_message(true, 'filler', repeat('x', 100000))`, 5_000_000],
  ])('fails writes to %s clearly, loses nothing acknowledged, and writes again once there is space', async (what, write, freeAtFirst) => {
    const dataDir = join(home, what.replace(' ', '-'));
    const pg = await openPglite(dataDir);
    await pg.exec('create table filled (n int primary key, filler text)');
    const ballast = join(home, 'ballast');
    writeFileSync(ballast, Buffer.alloc(freeBytes() - freeAtFirst));

    let acknowledged = 0;
    const fill = async () => {
      for (;;) {
        await pg.query(write, [acknowledged + 1, '']);
        acknowledged++;
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: '53100', message: expect.stringContaining('No space left on device') });
    await expect(pg.query(write, [-1, ''])).rejects.toMatchObject({ code: '53100' });

    rmSync(ballast);
    // An engine that died is opened again at its caller's call, if not at every one.
    const kept = () => pg.query('select count(*)::int as count, max(n) as last from filled');
    await vi.waitFor(async () => expect((await kept()).rows).toEqual([{ count: acknowledged, last: acknowledged }]), 10_000);
    expect(acknowledged).toBeGreaterThan(0);
    await pg.query(write, [acknowledged + 1, '']);
    await pg.close();
    rmSync(dataDir, { recursive: true });
  });
});
