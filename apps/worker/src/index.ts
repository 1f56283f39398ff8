export { startWorker, type Worker } from './start-worker.ts';
