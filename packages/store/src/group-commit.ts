/**
 * Writes of many callers, a group at a time: whatever arrived while the last flush ran is the next group. No timer: waiting
 * even 2 ms for company was measured slower in both rate and latency, and a lone caller should not wait at all.
 */
export type GroupCommitOptions<Item, Result> = {
  /** One transaction over the group; must answer one result an item, in order. Rejecting fails this group's callers only. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items in one flush at most; the rest wait for the next. */
  readonly maxBatch: number;
};

type Waiting<Item, Result> = {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 * Returns the function that writes one item: it resolves with its own result once its group is flushed, in the order of the
 * calls, and rejects with the flush's error when that failed. At most one flush runs at a time.
 */
export function groupCommit<Item, Result>({ flush, maxBatch }: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  if (!(maxBatch >= 1)) throw new RangeError(`maxBatch must be at least 1, not ${maxBatch}`);
  const waiting: Waiting<Item, Result>[] = [];
  let isFlushing = false;

  async function flushWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxBatch);
      try {
        const results = await flush(group.map(({ item }) => item));
        if (results.length !== group.length) {
          throw new Error(`a flush of ${group.length} items answered ${results.length} results`);
        }
        for (const [i, { resolve }] of group.entries()) resolve(results[i] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isFlushing = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // A microtask later, so that callers of the same instant make one group.
      if (!isFlushing) {
        isFlushing = true;
        queueMicrotask(flushWaiting);
      }
    });
}
