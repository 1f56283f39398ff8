import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataLockedError, lockDirectory } from '../src/directory-lock.ts';

type Report = { readonly won: boolean; readonly pid?: number };

const home = mkdtempSync(join(tmpdir(), 'countersign-lock-'));
let lastDirectory = 0;

function newDirectory(): string {
  const directory = join(home, String(++lastDirectory));
  mkdirSync(directory);
  return directory;
}

async function startRacer(): Promise<ChildProcess> {
  const racer = fork(new URL('./directory-lock.racer.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    cwd: import.meta.dirname,
  });
  await once(racer, 'message');
  return racer;
}

async function tryFor(directory: string, racer: ChildProcess): Promise<Report> {
  const reported = once(racer, 'message');
  racer.send(directory);
  return (await reported)[0] as Report;
}

async function kill(racer: ChildProcess): Promise<void> {
  const ended = once(racer, 'exit');
  racer.kill('SIGKILL');
  await ended;
}

/** The lock file of a process that was killed while it held the directory. */
async function lockOfTheDead(): Promise<string> {
  const directory = newDirectory();
  const racer = await startRacer();
  expect(await tryFor(directory, racer)).toEqual({ won: true });
  await kill(racer);
  return join(directory, 'lock');
}

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('lockDirectory', () => {
  it('refuses a second taker, naming the process and the directory', async () => {
    const directory = newDirectory();
    const racer = await startRacer();
    await tryFor(directory, racer);
    const refusal = expect.objectContaining({
      name: 'DataLockedError',
      code: 'data.locked',
      pid: racer.pid,
      directory,
      message: `${directory} is in use by process ${racer.pid}`,
    });
    expect(() => lockDirectory(directory)).toThrow(refusal);
    await kill(racer);
  });

  it('refuses a second taker in the same process', () => {
    const directory = newDirectory();
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(`in use by process ${process.pid}`);
    lock.release();
  });

  it('is free again after release, which leaves no file and may be repeated', () => {
    const directory = newDirectory();
    const lock = lockDirectory(directory);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
    const next = lockDirectory(directory);
    lock.release();
    expect(() => lockDirectory(directory)).toThrow(DataLockedError);
    next.release();
  });

  it('is taken over from a process that was killed (L2)', async () => {
    const directory = newDirectory();
    copyFileSync(await lockOfTheDead(), join(directory, 'lock'));
    const lock = lockDirectory(directory);
    expect(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(directory)).toEqual(['lock']);
    lock.release();
  });

  it.runIf(process.platform === 'linux')("is taken over where another process has the dead one's pid (L2)", () => {
    const directory = newDirectory();
    const lock = lockDirectory(directory);
    const path = join(directory, 'lock');
    const holder = JSON.parse(readFileSync(path, 'utf8')) as { start: string };
    writeFileSync(path, JSON.stringify({ ...holder, start: String(Number(holder.start) - 1) }));
    lock.release();
    lockDirectory(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([
    ['another host', (text: string) => JSON.stringify({ ...JSON.parse(text), host: 'elsewhere', pid: 1 })],
    ['an unreadable holder', () => ''],
  ])('is never taken over from %s, and the error says which file to remove (L2)', async (_, damage) => {
    const directory = newDirectory();
    const path = join(directory, 'lock');
    const text = damage(readFileSync(await lockOfTheDead(), 'utf8'));
    writeFileSync(path, text);
    expect(() => lockDirectory(directory)).toThrow(`remove ${path}`);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(directory)).toEqual(['lock']);
  });
});

describe('20 processes that race for a directory', () => {
  let racers: readonly ChildProcess[];
  let dead: string;
  let deadClaim: string;

  beforeAll(async () => {
    racers = await Promise.all(Array.from({ length: 20 }, startRacer));
    dead = await lockOfTheDead();
    deadClaim = await lockOfTheDead();
  });
  afterAll(() => Promise.all(racers.map(kill)));

  async function race(directory: string): Promise<void> {
    const reports = await Promise.all(racers.map((racer) => tryFor(directory, racer)));
    expect(reports.filter(({ won }) => won)).toHaveLength(1);
    const winner = racers[reports.findIndex(({ won }) => won)];
    expect(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))).toMatchObject({ pid: winner?.pid });
  }

  it('have exactly one winner when it is free', async () => {
    for (let round = 0; round < 20; round++) await race(newDirectory());
  });

  it('have exactly one winner when its holder is dead (L3)', async () => {
    for (let round = 0; round < 80; round++) {
      const directory = newDirectory();
      copyFileSync(dead, join(directory, 'lock'));
      await race(directory);
    }
  });

  it('have exactly one winner when one that was taking over from the dead holder died too (L3)', async () => {
    const { nonce } = JSON.parse(readFileSync(dead, 'utf8')) as { nonce: string };
    for (let round = 0; round < 80; round++) {
      const directory = newDirectory();
      copyFileSync(dead, join(directory, 'lock'));
      copyFileSync(deadClaim, join(directory, `lock.${nonce}`));
      await race(directory);
    }
  });
});
