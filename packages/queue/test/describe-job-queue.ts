import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOB_NAMES, type Job, type JobName, type JobQueue, type Processors } from '../src/queue.ts';

/** A queue over an empty or used backend, and what its log was told. */
export type QueueUnderTest = { readonly queue: JobQueue; readonly logged: readonly string[] };

/** Milliseconds within which a waiting worker takes a job: a notification arrives, it does not poll. */
const WAKE_WITHIN = 100;
/** How late a delayed job may start. */
const LATE_WITHIN = 250;

/** What every backend of the job queue does. `makeQueue` is called before each case; ids are not used twice. */
export function describeJobQueue(name: string, makeQueue: () => Promise<QueueUnderTest>): void {
  describe(name, () => {
    let queue: JobQueue;
    let logged: readonly string[];
    let work: Work;
    beforeEach(async () => {
      ({ queue, logged } = await makeQueue());
      work = new Work(queue);
    });
    afterEach(() => queue.close());

    it('hands each job to the processor of its name, with its id and nothing else', async () => {
      await work.start();
      const jobs: Job[] = JOB_NAMES.map((name) => ({ name, id: aNewId() }));
      for (const job of jobs) await queue.enqueue(job);
      await work.seen(jobs.length);
      expect(work.runs.map(({ name, id }) => ({ name, id })).sort(byName)).toEqual([...jobs].sort(byName));
    });

    it('keeps jobs that no worker was there for, in order', async () => {
      const ids = [aNewId(), aNewId(), aNewId()];
      for (const id of ids) await queue.enqueue({ name: 'dispatch', id });
      await work.start();
      await work.seen(3);
      expect(work.ids()).toEqual(ids);
    });

    it('takes ids as they come', async () => {
      await work.start();
      const ids = [`a:b-${aNewId()}`, `"quoted' ${aNewId()}`, `ünï ${aNewId()}`];
      for (const id of ids) await queue.enqueue({ name: 'dispatch', id });
      await work.seen(3);
      expect(work.ids().sort()).toEqual([...ids].sort());
    });

    it('wakes a waiting worker at once', async () => {
      await work.start();
      const waits: number[] = [];
      for (let i = 0; i < 15; i++) {
        const enqueuedAt = performance.now();
        await queue.enqueue({ name: 'dispatch', id: aNewId() });
        await work.seen(i + 1);
        waits.push((work.runs[i]?.at ?? Number.NaN) - enqueuedAt);
      }
      expect(median(waits)).toBeLessThan(WAKE_WITHIN);
    });

    it('starts a delayed job when it is due: not before, and not much later', async () => {
      await work.start();
      const enqueuedAt = performance.now();
      const delays = [900, 300, 600];
      await Promise.all(delays.map((delayMs) => queue.enqueue({ name: 'expire', id: `${delayMs} ${aNewId()}`, delayMs })));
      await work.seen(3);
      expect(work.ids().map((id) => Number(id.split(' ')[0]))).toEqual([300, 600, 900]);
      for (const { id, at } of work.runs) {
        const late = at - enqueuedAt - Number(id.split(' ')[0]);
        expect(late).toBeGreaterThan(-5);
        expect(late).toBeLessThan(LATE_WITHIN);
      }
    });

    it('never lets one name wait for another', async () => {
      work.hold('dispatch');
      await work.start(1);
      for (let i = 0; i < 3; i++) await queue.enqueue({ name: 'dispatch', id: aNewId() });
      await work.seen(1);
      await queue.enqueue({ name: 'expire', id: 'meanwhile' });
      await work.seen(2);
      expect(work.ids('expire')).toEqual(['meanwhile']);
      work.letGo();
      await work.seen(4);
    });

    it('processes as many of a name at once as it was told', async () => {
      work.hold('dispatch');
      await work.start(3);
      for (let i = 0; i < 6; i++) await queue.enqueue({ name: 'dispatch', id: aNewId() });
      await work.seen(3);
      await work.settled();
      expect(work.runs).toHaveLength(3);
      work.letGo();
      await work.seen(6);
      expect(work.mostAtOnce('dispatch')).toBe(3);
    });

    describe('for a name and an id', () => {
      it('keeps one job while it waits for a worker', async () => {
        const id = aNewId();
        for (let i = 0; i < 3; i++) await queue.enqueue({ name: 'dispatch', id });
        await work.start(1);
        await work.drained('dispatch');
        expect(work.ids('dispatch')).toEqual([id]);
      });

      it('keeps one job for each name', async () => {
        const id = aNewId();
        await work.start();
        await queue.enqueue({ name: 'dispatch', id });
        await queue.enqueue({ name: 'remind', id });
        await work.seen(2);
        expect(work.runs.map(({ name }) => name).sort()).toEqual(['dispatch', 'remind']);
      });

      it.each([
        ['sooner', 60_000, 200],
        ['later', 150, 700],
      ])('moves a job that waits for its time when told that it is %s', async (_, firstDelay, delayMs) => {
        const id = aNewId();
        await work.start(1);
        await queue.enqueue({ name: 'expire', id, delayMs: firstDelay });
        const enqueuedAt = performance.now();
        await queue.enqueue({ name: 'expire', id, delayMs });
        await work.seen(1);
        const late = (work.runs[0]?.at ?? Number.NaN) - enqueuedAt - delayMs;
        expect(late).toBeGreaterThan(-5);
        expect(late).toBeLessThan(LATE_WITHIN);
        await work.drained('expire');
        expect(work.ids('expire')).toEqual([id]);
      });

      it('follows a job that is being processed with one more, however often it was asked', async () => {
        const id = aNewId();
        work.hold('dispatch');
        await work.start(4);
        await queue.enqueue({ name: 'dispatch', id });
        await work.seen(1);
        for (let i = 0; i < 3; i++) await queue.enqueue({ name: 'dispatch', id });
        await work.settled();
        expect(work.runs).toHaveLength(1);
        work.letGo();
        await work.seen(2);
        await work.drained('dispatch');
        expect(work.ids('dispatch')).toEqual([id, id]);
      });

      it('lets a processor put off its own job', async () => {
        const id = aNewId();
        let putOffAt = Number.NaN;
        work.onRun = async ({ name }) => {
          if (work.runs.length > 1) return;
          putOffAt = performance.now();
          await queue.enqueue({ name, id, delayMs: 300 });
        };
        await work.start();
        await queue.enqueue({ name: 'expire', id });
        await work.seen(2);
        expect((work.runs[1]?.at ?? Number.NaN) - putOffAt).toBeGreaterThan(295);
      });

      it.each([
        ['done', async () => {}],
        ['failed', () => Promise.reject(new Error('no'))],
      ])('is free again once the job is %s', async (_, onRun) => {
        const id = aNewId();
        work.onRun = onRun;
        await work.start(1);
        for (let round = 1; round <= 3; round++) {
          await queue.enqueue({ name: 'dispatch', id });
          await work.seen(round);
          await work.drained('dispatch');
        }
        expect(work.ids('dispatch')).toEqual([id, id, id]);
      });
    });

    it('reports a processor that rejects, does not repeat the job, and goes on', async () => {
      const id = aNewId();
      work.onRun = async ({ id: running }) => {
        if (running === id) throw new Error('the upstream is down');
      };
      await work.start(1);
      await queue.enqueue({ name: 'dispatch', id });
      await work.drained('dispatch');
      expect(work.ids('dispatch')).toEqual([id]);
      expect(logged).toEqual([`a job failed: dispatch ${id}: the upstream is down`]);
    });

    it('finishes what it is at when a worker closes, and leaves the rest to the next', async () => {
      const ids = [aNewId(), aNewId()];
      work.hold('dispatch');
      const worker = await work.start(1);
      for (const id of ids) await queue.enqueue({ name: 'dispatch', id });
      await work.seen(1);
      const closing = worker.close();
      work.letGo();
      await closing;
      expect(work.ids('dispatch')).toEqual([ids[0]]);
      expect(work.finished).toBe(1);
      await work.start(1);
      await work.seen(2);
      expect(work.ids('dispatch')).toEqual(ids);
    });
  });
}

type Run = { readonly name: JobName; readonly id: string; readonly at: number };

/** The processors of a test: they note what they are given, and can be held. */
class Work {
  readonly runs: Run[] = [];
  finished = 0;
  onRun: (run: Run) => Promise<void> = async () => {};
  readonly #queue: JobQueue;
  readonly #held = new Set<JobName>();
  readonly #waiting: (() => void)[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #atOnce = new Map<JobName, number>();
  readonly #most = new Map<JobName, number>();

  constructor(queue: JobQueue) {
    this.#queue = queue;
  }

  start(concurrency = 8) {
    const processors = Object.fromEntries(JOB_NAMES.map((name) => [name, (id: string) => this.#process(name, id)]));
    return this.#queue.work(processors as Processors, { concurrency });
  }

  /** Ids in the order in which they were started, without the marker of `drained`. */
  ids(of?: JobName): string[] {
    return this.runs.filter(({ name, id }) => (of === undefined || name === of) && !id.startsWith(MARKER)).map(({ id }) => id);
  }

  mostAtOnce(name: JobName): number | undefined {
    return this.#most.get(name);
  }

  hold(name: JobName): void {
    this.#held.add(name);
  }

  letGo(): void {
    this.#held.clear();
    for (const go of this.#waiting.splice(0)) go();
  }

  seen(count: number): Promise<void> {
    return this.#until(() => this.runs.length >= count);
  }

  /** When a job that was put in now has been through, with one worker for the name, every earlier one has been too. */
  async drained(name: JobName): Promise<void> {
    const id = `${MARKER} ${aNewId()}`;
    await this.#queue.enqueue({ name, id });
    await this.#until(() => this.runs.some((run) => run.id === id));
    this.runs.splice(0, this.runs.length, ...this.runs.filter((run) => run.id !== id));
  }

  /** Time enough, on this backend, for a job of another name to go through: had one more been taken, it would show. */
  async settled(): Promise<void> {
    const before = this.runs.length;
    const id = `${MARKER} ${aNewId()}`;
    await this.#queue.enqueue({ name: 'remind', id });
    await this.#until(() => this.runs.some((run) => run.id === id));
    this.runs.splice(
      this.runs.findIndex((run) => run.id === id),
      1,
    );
    expect(this.runs).toHaveLength(before);
  }

  async #process(name: JobName, id: string): Promise<void> {
    const run = { name, id, at: performance.now() };
    this.runs.push(run);
    const atOnce = (this.#atOnce.get(name) ?? 0) + 1;
    this.#atOnce.set(name, atOnce);
    this.#most.set(name, Math.max(this.#most.get(name) ?? 0, atOnce));
    for (const watcher of this.#watchers) watcher();
    try {
      if (this.#held.has(name)) await new Promise<void>((go) => this.#waiting.push(go));
      await this.onRun(run);
    } finally {
      this.#atOnce.set(name, (this.#atOnce.get(name) ?? 0) - 1);
      this.finished++;
    }
  }

  #until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = () => {
        if (!isTrue()) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }
}

const MARKER = 'marker';
let lastId = 0;
const aNewId = () => `call_${++lastId}`;
const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];
