/** A process of directory-lock.test.ts: tries for each directory that it is sent, and says what came of it. */
import { DataLockedError, type DirectoryLock, lockDirectory } from '../src/directory-lock.ts';

let lock: DirectoryLock | undefined;

process.on('message', (directory: string | null) => {
  lock?.release();
  lock = undefined;
  if (directory === null) return process.disconnect();
  try {
    lock = lockDirectory(directory);
    process.send?.({ won: true });
  } catch (error) {
    if (!(error instanceof DataLockedError)) throw error;
    process.send?.({ won: false, pid: error.pid });
  }
});
process.send?.('ready');
