import type { Io } from '../io.ts';

export type Stop = {
  /** Resolves at the first Ctrl-C or SIGTERM. */
  readonly asked: Promise<void>;
  /** Aborted at the same time. */
  readonly signal: AbortSignal;
};

/** As a shell reports a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Waits for the first Ctrl-C; the second one ends the process there and then. */
export function untilStopped(io: Io): Stop {
  const first = new AbortController();
  io.onStop(() => (first.signal.aborted ? io.exitNow(INTERRUPTED) : first.abort()));
  const asked = new Promise<void>((resolve) => first.signal.addEventListener('abort', () => resolve(), { once: true }));
  return { asked, signal: first.signal };
}
