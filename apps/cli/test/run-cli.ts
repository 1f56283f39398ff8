import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { Io } from '../src/io.ts';
import { run } from '../src/program.ts';

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };
export type Running = { readonly ended: Promise<Ran>; readonly stdout: () => string; readonly stop: () => void };

type Options = {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly isInteractive?: boolean;
};

export const NOW = new Date('2026-11-30T12:00:00.000Z');

/** Starts the program in this process, as if it had been started with `argv`. */
export function startCli(
  argv: readonly string[],
  { env = {}, cwd = '/nowhere', stdin = '', isInteractive = false }: Options = {},
): Running {
  const [stdout, stderr] = [collector(), collector()];
  const stops: (() => void)[] = [];
  const io: Io = {
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: Readable.from([Buffer.from(stdin)]),
    isInteractive,
    color: { stdout: false, stderr: false },
    env,
    cwd,
    now: () => NOW,
    onStop: (listener) => void stops.push(listener),
    onReload: () => {},
    exitNow: (code) => {
      throw new Error(`asked to end at once with ${code}`);
    },
  };
  const ended = run(argv, io).then((code) => ({ code, stdout: stdout.text(), stderr: stderr.text() }));
  return {
    ended,
    stdout: stdout.text,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

export const runCli = (argv: readonly string[], options?: Options): Promise<Ran> => startCli(argv, options).ended;

function collector() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { stream, text: () => text };
}

/** A folder that is gone when `work` has ended. */
export async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
