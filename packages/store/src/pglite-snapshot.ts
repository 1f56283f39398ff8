import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createTar, parseTar } from 'nanotar';

/**
 * An initialised, cleanly closed, empty database as a tar file: initdb takes PGlite 5 s and 800 MB, unpacking this 0.2 s.
 * It is built once for each PGlite version and kept beside the code, in node_modules/.cache: whoever can write there can
 * change the code as well, which is not true of a shared temporary folder.
 */
export type Snapshot = { readonly path: string };

const BUILDING = 'building-';
/** Far longer than initdb takes: older work belongs to a process that died. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/** The cached snapshot, built if need be; undefined where the cache can't be written (a read-only installation). */
export async function cachedSnapshot(cache = cacheOfPglite()): Promise<Snapshot | undefined> {
  if (existsSync(cache.path)) return { path: cache.path };
  let building: string | undefined;
  try {
    mkdirSync(dirname(cache.path), { recursive: true });
    removeAbandoned(dirname(cache.path));
    building = mkdtempSync(join(dirname(cache.path), BUILDING));
    const directory = join(building, 'database');
    await initialiseDatabase(directory);
    const tar = join(building, 'database.tar');
    writeDurably(tar, createTar(filesUnder(directory)));
    renameSync(tar, cache.path);
    return { path: cache.path };
  } catch (error) {
    if (isCacheUnusable(error)) return undefined;
    throw error;
  } finally {
    if (building !== undefined) rmSync(building, { recursive: true, force: true });
  }
}

/** A program of its own, and CommonJS text, since a worker thread gets no TypeScript loader from vitest or tsx. */
const INITIALISE = `
  const { pglite, directory } = require('node:worker_threads').workerData;
  // Closed with a checkpoint, so that whoever opens it has nothing to recover.
  require(pglite).PGlite.create(directory).then((pg) => pg.close());
`;

/** Runs initdb into `directory`, which must not exist: in a thread, for it takes seconds, and its memory goes with it. */
export function initialiseDatabase(directory: string): Promise<void> {
  const worker = new Worker(INITIALISE, { eval: true, workerData: { pglite: pathOfPglite(), directory } });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

/** Writes the snapshot's files to `directory`, readable by nobody else. */
export function unpackSnapshot(snapshot: Snapshot, directory: string): void {
  mkdirSync(directory, { mode: 0o700 });
  for (const { name, type, data } of parseTar(readFileSync(snapshot.path))) {
    const path = join(directory, name);
    if (type === 'directory') mkdirSync(path, { mode: 0o700, recursive: true });
    else writeFileSync(path, data ?? new Uint8Array(), { mode: 0o600 });
  }
}

function cacheOfPglite(): Snapshot {
  const root = dirname(dirname(pathOfPglite())); // of its package
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { path: join(dirname(dirname(root)), '.cache', 'countersign', `pglite-${version}.tar`) };
}

const pathOfPglite = (): string => createRequire(import.meta.url).resolve('@electric-sql/pglite');

function filesUnder(directory: string) {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path);
    return entry.isDirectory() ? { name } : { name, data: readFileSync(path) };
  });
}

function removeAbandoned(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (!name.startsWith(BUILDING) || Date.now() - statSync(path).mtimeMs < ABANDONED_AFTER_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx', 0o644);
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isCacheUnusable(error: unknown): boolean {
  const codes: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EEXIST', 'ENOTDIR'];
  return error instanceof Error && 'code' in error && codes.includes(error.code);
}
