import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SharedPglite } from '@countersign/store';
import { openPglite } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPgliteQueue } from '../src/pglite-queue.ts';
import type { Processors, QueueLog } from '../src/queue.ts';
import { describeJobQueue } from './describe-job-queue.ts';

let pg: SharedPglite;
beforeAll(async () => {
  pg = await openPglite('memory://');
});
afterAll(() => pg.close());

function noted() {
  const logged: string[] = [];
  const log: QueueLog = {
    error: ({ queue, id, err }, message) => logged.push(`${message}: ${queue} ${id}: ${(err as Error).message}`),
  };
  return { logged, log };
}

describeJobQueue('BullMQ on PGlite', async () => {
  const { logged, log } = noted();
  return { queue: await openPgliteQueue(pg, log), logged };
});

describe('its tables', () => {
  it('are apart from ours, and hold nothing of finished jobs', async () => {
    const { log } = noted();
    const queue = await openPgliteQueue(pg, log);
    const done = vi.fn(async () => {});
    const failed = vi.fn(() => Promise.reject(new Error('no')));
    await queue.work({ dispatch: done, expire: failed, remind: done }, { concurrency: 4 });
    for (let i = 0; i < 20; i++) {
      await queue.enqueue({ name: 'dispatch', id: `${i}` });
      await queue.enqueue({ name: 'expire', id: `${i}` });
    }
    await vi.waitFor(() => expect(done.mock.calls.length + failed.mock.calls.length).toBe(40), 10_000);
    await queue.close();
    const count = async (from: string) => (await pg.query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]?.n;
    expect(await count(`pg_tables where schemaname = 'public'`)).toBe(0);
    expect(await count('bullmq.job')).toBe(0);
    expect(await count('bullmq.dedup')).toBe(0);
    expect(await count('bullmq.dedup_next')).toBe(0);
  });

  it('are brought up to date only once', async () => {
    const { log } = noted();
    const first = await openPgliteQueue(pg, log);
    const second = await openPgliteQueue(pg, log);
    const { rows } = await pg.query('select version, count(*)::int as n from bullmq.migration group by version having count(*) > 1');
    expect(rows).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe('on disk', () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-queue-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  async function processAll(dataDir: string, count: number): Promise<string[]> {
    const pg = await openPglite(dataDir);
    const { log } = noted();
    const queue = await openPgliteQueue(pg, log);
    const seen: string[] = [];
    const note = (name: string) => async (id: string) => void seen.push(`${name} ${id}`);
    const processors: Processors = { dispatch: note('dispatch'), expire: note('expire'), remind: note('remind') };
    await queue.work(processors, { concurrency: 2 });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(count), { timeout: 45_000, interval: 100 });
    await queue.close();
    await pg.close();
    return seen.sort();
  }

  const startHolder = async (dataDir: string): Promise<ChildProcess> => {
    const holder = fork(new URL('./pglite-queue.holder.ts', import.meta.url), [dataDir], {
      execArgv: ['--import', 'tsx'],
      cwd: import.meta.dirname,
    });
    await once(holder, 'message');
    return holder;
  };

  async function kill(process: ChildProcess): Promise<void> {
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  }

  it('processes after a restart what was stored before, delayed or not', async () => {
    const dataDir = join(home, 'restarted');
    const pg = await openPglite(dataDir);
    const { log } = noted();
    const queue = await openPgliteQueue(pg, log);
    await queue.enqueue({ name: 'dispatch', id: 'a' });
    await queue.enqueue({ name: 'expire', id: 'b', delayMs: 500 });
    await queue.close();
    await pg.close();
    expect(await processAll(dataDir, 2)).toEqual(['dispatch a', 'expire b']);
  });

  it('loses no job to kill -9, and starts again the one that was being processed (C1)', { timeout: 90_000 }, async () => {
    const dataDir = join(home, 'killed');
    const holder = await startHolder(dataDir);
    await kill(holder);
    expect(await processAll(dataDir, 4)).toEqual(['dispatch held', 'dispatch waiting', 'expire due', 'remind waiting']);
  });
});
