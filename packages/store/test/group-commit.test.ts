import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupCommit } from '../src/group-commit.ts';

type Flush = { readonly items: readonly number[]; succeed(): void; fail(): void };

/** A flush that the test settles by hand; its answer is each item, doubled. */
function heldFlushes() {
  const flushes: Flush[] = [];
  const flush = (items: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      flushes.push({
        items,
        succeed: () => resolve(items.map((item) => item * 2)),
        fail: () => reject(new Error(`flush of ${items.join()}`)),
      });
    });
  return { flushes, flush };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('groupCommit', () => {
  it('flushes a lone item at once, and callers of one instant together', async () => {
    const { flushes, flush } = heldFlushes();
    const write = groupCommit({ flush, maxBatch: 100 });
    const writes = [write(1), write(2), write(3)];
    await Promise.resolve();
    expect(flushes.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    flushes[0]?.succeed();
    expect(await Promise.all(writes)).toEqual([2, 4, 6]);
  });

  it('makes what arrives during a flush the next one, and runs one at a time', async () => {
    const { flushes, flush } = heldFlushes();
    const write = groupCommit({ flush, maxBatch: 2 });
    const first = write(1);
    await turn();
    const later = [write(2), write(3), write(4)];
    await turn();
    expect(flushes.map(({ items }) => items)).toEqual([[1]]);
    flushes[0]?.succeed();
    await first;
    await turn();
    expect(flushes.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    flushes[1]?.succeed();
    await turn();
    flushes[2]?.succeed();
    expect(await Promise.all(later)).toEqual([4, 6, 8]);
  });

  it('fails the callers of a failed flush and nobody after them (G4)', async () => {
    const { flushes, flush } = heldFlushes();
    const write = groupCommit({ flush, maxBatch: 2 });
    const failing = Promise.allSettled([write(1), write(2)]);
    const after = write(3);
    await turn();
    flushes[0]?.fail();
    expect((await failing).map((each) => each.status === 'rejected' && each.reason.message)).toEqual(['flush of 1,2', 'flush of 1,2']);
    flushes[1]?.succeed();
    expect(await after).toBe(6);
  });

  it('survives a flush that throws before it returns a promise (G4)', async () => {
    let calls = 0;
    const flush = (items: readonly number[]) => {
      if (++calls === 1) throw new Error('not even started');
      return Promise.resolve(items);
    };
    const write = groupCommit({ flush, maxBatch: 1 });
    await expect(write(1)).rejects.toThrow('not even started');
    expect(await write(2)).toBe(2);
  });

  it('rejects a flush that answers another number of results than it had items', async () => {
    const write = groupCommit({ flush: async () => [1], maxBatch: 2 });
    const writes = await Promise.allSettled([write(1), write(2)]);
    expect(writes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('refuses a batch size that would never flush', () => {
    expect(() => groupCommit({ flush: async () => [], maxBatch: 0 })).toThrow(RangeError);
  });

  it("settles every write once, in order, with its own result or its own flush's error, whatever fails (G4)", async () => {
    const run = fc.record({
      maxBatch: fc.integer({ min: 1, max: 5 }),
      // Each step writes so many items, then lets the scheduler go on.
      steps: fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 12 }),
      // Which flushes fail, by their number.
      failures: fc.array(fc.boolean(), { maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(run, fc.scheduler(), async ({ maxBatch, steps, failures }, scheduler) => {
        const flushed: (readonly number[])[] = [];
        let running = 0;
        const flush = async (items: readonly number[]) => {
          expect(++running).toBe(1);
          const number = flushed.push(items) - 1;
          await scheduler.schedule(Promise.resolve(), `flush ${number}`);
          running--;
          if (failures[number]) throw new Error(String(number));
          return items.map((item) => item * 2);
        };
        const write = groupCommit({ flush, maxBatch });
        const writes: Promise<number>[] = [];
        for (const count of steps) {
          for (let i = 0; i < count; i++) writes.push(write(writes.length));
          await Promise.resolve();
          if (scheduler.count() > 0) await scheduler.waitOne();
        }
        const settled = Promise.allSettled(writes);
        await scheduler.waitFor(settled);

        expect(flushed.flat()).toEqual(writes.map((_, item) => item));
        expect(flushed.every(({ length }) => length >= 1 && length <= maxBatch)).toBe(true);
        const answers = await settled;
        flushed.forEach((items, number) => {
          for (const item of items) {
            const expected = failures[number]
              ? { status: 'rejected', reason: new Error(String(number)) }
              : { status: 'fulfilled', value: item * 2 };
            expect(answers[item]).toEqual(expected);
          }
        });
      }),
      { numRuns: 300 },
    );
  });
});
