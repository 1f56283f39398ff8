/** A process of pglite-queue.test.ts: is in the middle of one job, with others waiting, when it says so and gets killed. */
import { openPglite } from '@countersign/store';
import { openPgliteQueue } from '../src/pglite-queue.ts';

const pg = await openPglite(process.argv[2] ?? '');
const queue = await openPgliteQueue(pg, console);
const forever = () => new Promise<void>(() => {});
await queue.enqueue({ name: 'expire', id: 'due', delayMs: 2_000 });
const held = new Promise<void>((resolve) => {
  const hold = (id: string) => {
    if (id === 'held') resolve();
    return forever();
  };
  queue.work({ dispatch: hold, expire: forever, remind: forever }, { concurrency: 1 });
});
await queue.enqueue({ name: 'dispatch', id: 'held' });
await held;
await queue.enqueue({ name: 'dispatch', id: 'waiting' });
await queue.enqueue({ name: 'remind', id: 'waiting', delayMs: 1 });
process.send?.('holding');
