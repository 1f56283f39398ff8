import { type Clock, MAX_TIMER_MS } from './clock.ts';
import type { GivenUp } from './link.ts';

export type Limits = {
  /** Longest silence, in milliseconds: progress starts it again. */
  readonly idleMs: number;
  /** Longest in all. */
  readonly totalMs?: number;
  /** The caller's own wish to stop. */
  readonly signal?: AbortSignal;
};

/**
 * Runs `work` under the limits. Its signal fires with a `GivenUp` as reason once one is reached; `touch` says that the upstream is alive. The
 * limits only ask: it is `work` that ends.
 */
export async function withLimits<T>(
  clock: Clock,
  limits: Limits,
  work: (signal: AbortSignal, touch: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const giveUp = (why: GivenUp) => controller.abort(why);
  const onCancel = () => giveUp({ code: 'upstream.cancelled', message: 'The call was cancelled.' });
  const idleMs = Math.min(limits.idleMs, MAX_TIMER_MS);
  const onSilence = () => giveUp({ code: 'upstream.timeout', message: `The server said nothing for ${idleMs} ms.` });
  let stopIdle = clock.after(idleMs, onSilence);
  const { totalMs, signal } = limits;
  const stopTotal =
    totalMs === undefined || totalMs > MAX_TIMER_MS
      ? () => undefined
      : clock.after(totalMs, () => giveUp({ code: 'upstream.timeout', message: `There was no reply within ${totalMs} ms.` }));
  if (signal?.aborted === true) onCancel();
  else signal?.addEventListener('abort', onCancel, { once: true });
  try {
    return await work(controller.signal, () => {
      stopIdle();
      stopIdle = clock.after(idleMs, onSilence);
    });
  } finally {
    stopIdle();
    stopTotal();
    signal?.removeEventListener('abort', onCancel);
  }
}
