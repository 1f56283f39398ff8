import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * One process per data directory. PGlite takes no lock of its own, and two processes on one directory silently lose data.
 *
 * L1 The lock is one file, complete from the instant it exists: written aside, fsynced, then hard-linked into place.
 * L2 It is taken over only from a dead process: same host name (a restarted container keeps its own), and its pid is gone
 *    or has another start time, or the machine was booted since. A lock of another host, or one that can't be read, is never
 *    taken over; the error says which file to remove. No heartbeat: a process that stalls for long is still alive.
 * L3 Of any number of processes that find the same dead holder, one takes over. Each lock carries a nonce, and whoever
 *    replaces the lock with nonce N must first hold `lock.N`, a lock of the same kind.
 */
const LOCK = 'lock';

type Holder = {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process, where the system tells (Linux); else null. */
  readonly start: string | null;
  readonly host: string;
  /** Changes with every boot, so that ticks are only compared within one. */
  readonly boot: string | null;
  readonly nonce: string;
};

export type DirectoryLock = { release(): void };

/** Thrown when another process holds the data directory, or when we can't be sure that none does. */
export class DataLockedError extends Error {
  readonly code = 'data.locked';
  readonly directory: string;
  /** The process that holds it; undefined when the lock file can't be read. */
  readonly pid: number | undefined;

  constructor(directory: string, holder: Holder | 'unreadable', cause?: unknown) {
    super(describe(directory, holder), { cause });
    this.name = 'DataLockedError';
    this.directory = directory;
    this.pid = holder === 'unreadable' ? undefined : holder.pid;
  }
}

/**
 * Takes the lock of an existing directory or throws DataLockedError. The lock ends with `release()`, which may be called
 * again, or with the process, however it dies.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const mine: Holder = {
    pid: process.pid,
    start: startOf(process.pid)?.start ?? null,
    host: hostname(),
    boot: bootId(),
    nonce: randomBytes(12).toString('hex'),
  };
  const path = join(directory, LOCK);
  const candidate = `${path}.new-${mine.nonce}`;
  try {
    writeDurably(candidate, JSON.stringify(mine));
    const blockedBy = take(path, candidate, mine);
    if (blockedBy !== undefined) throw new DataLockedError(directory, blockedBy);
  } finally {
    rmSync(candidate, { force: true });
  }
  removeLeftovers(directory);

  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      const holder = readHolder(path);
      // A person may have removed the file, and another process taken the directory since.
      if (holder !== undefined && holder !== 'unreadable' && holder.nonce === mine.nonce) rmSync(path, { force: true });
    },
  };
}

/** Undefined once `path` is ours; otherwise who holds it. */
function take(path: string, candidate: string, mine: Holder): Holder | 'unreadable' | undefined {
  for (;;) {
    if (linkIfAbsent(candidate, path)) return undefined;
    const holder = readHolder(path);
    if (holder === undefined) continue; // released between the two calls
    if (holder === 'unreadable' || !isDead(holder, mine)) return holder;

    const claim = `${path}.${holder.nonce}`;
    const blockedBy = take(claim, candidate, mine);
    if (blockedBy !== undefined) return blockedBy;
    const now = readHolder(path);
    const isStillTheirs = now !== undefined && now !== 'unreadable' && now.nonce === holder.nonce;
    if (isStillTheirs) {
      // rename() of two links to one file would do nothing, so the replacement is a link of its own.
      const replacement = `${candidate}-take`;
      writeDurably(replacement, JSON.stringify(mine));
      renameSync(replacement, path);
    }
    rmSync(claim, { force: true });
    if (isStillTheirs) return undefined;
  }
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw new Error(`${to}: the data directory must be on a file system with hard links`, { cause: error });
  }
}

function readHolder(path: string): Holder | 'unreadable' | undefined {
  try {
    const { pid, start, host, boot, nonce } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof host !== 'string' || !/^[0-9a-f]{24}$/.test(nonce ?? '')) return 'unreadable';
    return { pid, host, nonce: nonce as string, start: start ?? null, boot: boot ?? null };
  } catch (error) {
    return isErrno(error, 'ENOENT') ? undefined : 'unreadable';
  }
}

/** Only certainty counts (L2): whatever can't be known is alive. */
function isDead(holder: Holder, mine: Holder): boolean {
  if (holder.host !== mine.host) return false;
  if (holder.boot !== mine.boot) return holder.boot !== null && mine.boot !== null;
  const running = startOf(holder.pid);
  if (running !== undefined) return running.isZombie || (holder.start !== null && running.start !== holder.start);
  if (holder.start !== null) return true; // the system tells start times, and has none for this pid
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return isErrno(error, 'ESRCH');
  }
}

/** From /proc/<pid>/stat; undefined when there is no such process, or no /proc. */
function startOf(pid: number): { readonly start: string; readonly isZombie: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command in field 2 may hold spaces and brackets; state is field 3 and the start time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[19];
    return start === undefined ? undefined : { start, isZombie: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
}

/** Files of processes that died between two steps of `take`. Those of living processes are theirs to remove. */
function removeLeftovers(directory: string): void {
  const mine = readHolder(join(directory, LOCK));
  if (mine === undefined || mine === 'unreadable') return;
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(`${LOCK}.`)) continue;
    const holder = readHolder(join(directory, name));
    if (holder !== undefined && holder !== 'unreadable' && isDead(holder, mine)) {
      rmSync(join(directory, name), { force: true });
    }
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function describe(directory: string, holder: Holder | 'unreadable'): string {
  const path = join(directory, LOCK);
  if (holder === 'unreadable') {
    return `the lock of ${directory} can't be read; if no countersign process uses the directory, remove ${path}`;
  }
  const where = holder.host === hostname() ? '' : ` on ${holder.host}; if that process is gone, remove ${path}`;
  return `${directory} is in use by process ${holder.pid}${where}`;
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
