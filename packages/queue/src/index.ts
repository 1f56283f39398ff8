export { type BullmqOptions, bullmqQueue } from './bullmq.ts';
export { type PgliteConnection, pglitePool } from './pglite-pool.ts';
export { openPgliteQueue } from './pglite-queue.ts';
export {
  JOB_NAMES,
  type Job,
  type JobName,
  type JobQueue,
  type JobWorker,
  type Processors,
  type QueueLog,
} from './queue.ts';
export { memorySignals, type Signals } from './signals.ts';
