/** Child processes that never outlive the test file that started them, however it ends. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

const running = new Set<ChildProcess>();

const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
process.once('exit', killAll);
afterAll(killAll);

/** `spawn`, remembered. */
export function spawnChild(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, [...args], options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** How a child ended; at once if it has. */
export function endOf(child: ChildProcess): Promise<Ended> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve({ code: child.exitCode, signal: child.signalCode });
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}

/** Direct children of a process, from /proc. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
}

/** True while the process runs; a zombie does not. */
export const isAlive = (pid: number): boolean => statOf(pid)?.[0] !== undefined && statOf(pid)?.[0] !== 'Z';

const parentOf = (pid: number): number | undefined => {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
};

/** Fields of /proc/<pid>/stat after the command, which may hold spaces and brackets: state, parent, … */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
