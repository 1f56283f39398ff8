import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ServerConfig } from '@countersign/contracts';
import { systemClock } from './clock.ts';

export type StdioServer = Extract<ServerConfig, { command: string }>;
export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const GRACE_MS = 2000;
const CHECK_MS = 20;

/**
 * Starts an upstream in a process group of its own, without a shell. Its environment is what the config gives and a minimal PATH (this Node's
 * folder, for `node` and `npx`, and the system's), nothing of ours.
 */
export function startChild(server: StdioServer): Child {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  return spawn(server.command, server.args, {
    env: { PATH: path, ...server.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: true,
    windowsHide: true,
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
  });
}

/**
 * Ends every process of the group: SIGTERM, and SIGKILL after two seconds to what is left. Resolves when none is left or has been sent
 * SIGKILL. Safe to call for a group that is gone.
 */
export function stopGroup(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = systemClock.now() + GRACE_MS;
    if (!signalGroup(pid, 'SIGTERM')) return resolve();
    const check = () => {
      if (!signalGroup(pid, 0)) return resolve();
      if (systemClock.now() >= deadline) {
        signalGroup(pid, 'SIGKILL');
        return resolve();
      }
      systemClock.after(CHECK_MS, check);
    };
    systemClock.after(CHECK_MS, check);
  });
}

/** False when no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM: one is left and it is not ours to signal, which a setuid server can bring about.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
