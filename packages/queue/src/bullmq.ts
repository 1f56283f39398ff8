import { type BackendFactory, Worker as BullWorker, type IQueueBackend, type JobProgress, type JobsOptions, Queue } from 'bullmq';
import { JOB_NAMES, type Job, type JobName, type JobQueue, type JobWorker, type Processors, type QueueLog } from './queue.ts';

export type BullmqOptions<Backend extends IQueueBackend, Connection> = {
  /** Where the jobs are kept: BullMQ's factory for PostgreSQL or Redis, and the connection that it takes. */
  readonly backend: BackendFactory<Backend, Connection>;
  readonly connection: Connection;
  readonly log: QueueLog;
  /** Ends what the connection needs ending, after the last worker. */
  readonly closeConnection: () => Promise<void>;
};

type JobContent = Pick<Job, 'id'>;

/** How long a job counts as being worked on without a sign of life from its worker, which gives one at half of it. */
const LOCK_MS = 10_000;
/** Between two looks for jobs of dead workers; the second look gives back what the first one found. So: 15 s after a kill -9. */
const LOOK_FOR_DEAD_MS = 5_000;

/** BullMQ keeps a stream of every job's events for consumers that we don't have; its default is 10,000. */
const KEPT_EVENTS = 256;

/** A queue for each name, so that a backlog of one name never stands before another. */
const queueName = (name: JobName): string => `countersign-${name}`;

/**
 * The job queue on BullMQ, whatever it is built on.
 *
 * Deduplication is BullMQ's own, by `<name>-<id>`, and not by job id: an equal job id is dropped silently while the earlier
 * job is kept, finished or not, and with finished jobs removed it says nothing of one that is being processed.
 * Finished jobs are removed, failed ones too: kept ones would grow without bound, and would say nothing that the tables
 * don't. That makes a second run possible, which the claim in the database turns into nothing.
 */
export function bullmqQueue<Backend extends IQueueBackend, Connection>(options: BullmqOptions<Backend, Connection>): JobQueue {
  const { connection, backend, log, closeConnection } = options;
  const workers = new Set<JobWorker>();
  const queues = new Map(
    JOB_NAMES.map((name) => {
      const streams = { events: { maxLen: KEPT_EVENTS } };
      const queue = new Queue<JobContent, void, string, JobContent, void, string, Backend, Connection>(
        queueName(name),
        { connection, streams },
        backend,
      );
      queue.on('error', (error) => log.error({ queue: name, err: error }, 'the queue has trouble'));
      return [name, queue] as const;
    }),
  );

  const enqueue = async ({ name, id, delayMs = 0 }: Job): Promise<void> => {
    await queues.get(name)?.add(name, { id }, jobOptions(name, id, delayMs));
  };

  const work = async (processors: Processors, { concurrency }: { readonly concurrency: number }): Promise<JobWorker> => {
    const running = JOB_NAMES.map((name) => startWorker(name, processors[name], concurrency, options));
    const worker: JobWorker = {
      close: async () => {
        await Promise.all(running.map((each) => each.close()));
        workers.delete(worker);
      },
    };
    workers.add(worker);
    await Promise.all(running.map((each) => each.waitUntilReady()));
    return worker;
  };

  const close = async (): Promise<void> => {
    await Promise.all([...workers].map((worker) => worker.close()));
    await Promise.all([...queues.values()].map((queue) => queue.close()));
    await closeConnection();
  };

  return { enqueue, work, close };
}

function startWorker<Backend extends IQueueBackend, Connection>(
  name: JobName,
  processor: Processors[JobName],
  concurrency: number,
  { connection, backend, log }: BullmqOptions<Backend, Connection>,
) {
  const worker = new BullWorker<JobContent, void, string, Backend, JobProgress, Connection>(
    queueName(name),
    (job) => processor(job.data.id),
    { connection, concurrency, lockDuration: LOCK_MS, stalledInterval: LOOK_FOR_DEAD_MS },
    backend,
  );
  worker.on('error', (error) => log.error({ queue: name, err: error }, 'the worker has trouble'));
  worker.on('failed', (job, error) => log.error({ queue: name, id: job?.data.id, err: error }, 'a job failed'));
  return worker;
}

function jobOptions(name: JobName, id: string, delay: number): JobsOptions {
  return {
    delay,
    attempts: 1, // the claim in the database decides whether there is a second one
    removeOnComplete: true,
    removeOnFail: true,
    deduplication: { id: `${name}-${id}`, replace: true, keepLastIfActive: true },
  };
}
