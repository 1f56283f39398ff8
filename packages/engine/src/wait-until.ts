import type { EngineDeps } from './deps.ts';

export type Wait = { readonly waitMs: number; readonly signal: AbortSignal };

/** A wake-up can be lost (a process that died after its commit), so a waiter looks again by itself now and then. */
const RECHECK_MS = 5_000;

/**
 * Looks until what it sees is final, `waitMs` is over, or the signal aborts, and returns what it saw last. The rows decide; the topic's signal
 * only wakes, and the first look comes after subscribing, so what happened before the wait began is not missed.
 */
export async function waitUntil<Seen>(
  deps: Pick<EngineDeps, 'signals'>,
  topic: string,
  { waitMs, signal }: Wait,
  look: () => Promise<Seen>,
  isFinal: (seen: Seen) => boolean,
): Promise<Seen> {
  const deadline = Date.now() + waitMs;
  let wake: () => void = () => undefined;
  const unsubscribe = deps.signals.subscribe(topic, () => wake());
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const seen = await look();
      const left = deadline - Date.now();
      if (isFinal(seen) || left <= 0 || signal.aborted) return seen;
      await within(woken, Math.min(left, RECHECK_MS), signal);
    }
  } finally {
    unsubscribe();
  }
}

async function within(event: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    // Whoever waits keeps no process alive by it: at Ctrl-C they were answered, and only this timer would be left.
    timer = setTimeout(resolve, ms).unref();
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([event, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
