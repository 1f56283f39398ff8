import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { lockDirectory } from './directory-lock.ts';
import { discard, type OpenEngine, SharedPglite } from './pglite-session.ts';
import { cachedSnapshot, initialiseDatabase, unpackSnapshot } from './pglite-snapshot.ts';
import { upkeep } from './pglite-upkeep.ts';

const DATABASE = 'database';
/** A first start under way; whatever has this name when nobody holds the lock is from one that died. */
const UNFINISHED = 'database.new';
const UPKEEP_EVERY_MS = 15_000;

export type OpenPgliteOptions = {
  /** Called before the database is made. That takes a second, and some five where no snapshot is cached yet. */
  readonly onFirstStart?: () => void;
  /** Upkeep (checkpoint, vacuum) failed; it is tried again at its next turn. */
  readonly onUpkeepFailed?: (error: unknown) => void;
};

/**
 * Opens PGlite over `<dataDir>/database`, made on the first start, or in memory.
 *
 * One process at a time: throws DataLockedError (`data.locked`) naming the other one. A first start that dies leaves nothing
 * half made. PGlite never calls fsync: what it acknowledged outlives the process, kill -9 included, but not the machine's
 * power. On a full disk writes fail, nothing acknowledged is lost, and writes work again once there is space.
 * `close()` is final and lets go of the directory; so does the end of the process.
 */
export async function openPglite(dataDir: string | 'memory://', options: OpenPgliteOptions = {}): Promise<SharedPglite> {
  return dataDir === 'memory://' ? openInMemory(options) : openOnDisk(dataDir, options);
}

async function openInMemory(options: OpenPgliteOptions): Promise<SharedPglite> {
  const snapshot = await cachedSnapshot();
  const tar = snapshot === undefined ? {} : { loadDataDir: new Blob([await readFile(snapshot.path)]) };
  let isFirst = true;
  const open = () => {
    if (!isFirst) throw new Error('what was in memory is gone');
    isFirst = false;
    return PGlite.create('memory://', tar);
  };
  return serve(open, options, () => {});
}

async function openOnDisk(dataDir: string, options: OpenPgliteOptions): Promise<SharedPglite> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDir);
  try {
    const directory = join(dataDir, DATABASE);
    const unfinished = join(dataDir, UNFINISHED);
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(directory)) {
      options.onFirstStart?.();
      await makeDatabase(unfinished);
      renameSync(unfinished, directory);
    }
    return await serve(() => openEngine(directory), options, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openEngine(directory: string): Promise<PGlite> {
  const pg = new PGlite(directory);
  try {
    await pg.waitReady;
    return pg;
  } catch (error) {
    await discard(pg);
    throw error;
  }
}

async function serve(open: OpenEngine, options: OpenPgliteOptions, onClosed: () => void): Promise<SharedPglite> {
  let isBusy = false;
  const pg = await SharedPglite.start(open, () => {
    clearInterval(timer);
    onClosed();
  });
  const timer = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await upkeep(pg).catch((error: unknown) => options.onUpkeepFailed?.(error));
    isBusy = false;
  }, UPKEEP_EVERY_MS).unref();
  return pg;
}

async function makeDatabase(directory: string): Promise<void> {
  const snapshot = await cachedSnapshot();
  try {
    if (snapshot !== undefined) unpackSnapshot(snapshot, directory);
  } catch {
    // It is only a cache; where it is of no use the database is made without it.
    rmSync(directory, { recursive: true, force: true });
  }
  if (!existsSync(directory)) await initialiseDatabase(directory);
  // PGlite creates files that everybody may write (0666 whatever the umask), so the directory has to keep others out.
  chmodSync(directory, 0o700);
}
