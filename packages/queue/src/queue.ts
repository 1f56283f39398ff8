/** The two ports of this package. PostgreSQL's tables are the truth; a job or a signal only wakes somebody up. */

/** dispatch an approved call · expire an overdue decision · remind the people who may answer one. */
export const JOB_NAMES = ['dispatch', 'expire', 'remind'] as const;
export type JobName = (typeof JOB_NAMES)[number];

/** Jobs carry ids only, so that a lost, late or repeated one is harmless: what it means is read from the tables. */
export type Job = {
  readonly name: JobName;
  readonly id: string;
  /** Earliest start, in milliseconds from now. */
  readonly delayMs?: number;
};

export type JobQueue = {
  /**
   * Resolves once the job is stored. There is at most one pending job for a name and id: a job that still waits for its time
   * takes the newer delay; one that waits for a worker absorbs the new one; while one is being processed the new one is
   * stored and follows it. A finished job leaves nothing behind, so the next one for the same id is never held back.
   */
  enqueue(job: Job): Promise<void>;
  /**
   * Processes every name, `concurrency` jobs of each name at once, so that slow calls do not hold up deadlines. At least
   * once: after a crash a job may run again, so a processor claims its work in the database first. A processor that rejects
   * is reported and not retried here; the reconciler enqueues again what is still open in the tables.
   */
  work(processors: Processors, options: { readonly concurrency: number }): Promise<JobWorker>;
  /** Stops its workers as well. Stored jobs stay stored. */
  close(): Promise<void>;
};

export type Processors = Readonly<Record<JobName, (id: string) => Promise<void>>>;

export type JobWorker = {
  /** Takes no further job and waits for those being processed. */
  close(): Promise<void>;
};

/** What goes wrong in the background and has no caller to tell. */
export type QueueLog = { error(context: Readonly<Record<string, unknown>>, message: string): void };
