import { fail, ok, type Result } from '@countersign/contracts';
import { findCall, findVisibleDecision, markCall } from '@countersign/store';
import { TOPIC } from './announce.ts';
import type { CallEnd } from './call-end.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { endOfCall } from './end-of-call.ts';
import { endOfQuestion } from './end-of-question.ts';
import { viewOf } from './view.ts';

/**
 * Waits until a call is no longer held, `waitMs` is over, or the signal aborts. The rows decide; the signal only wakes, and the state is
 * read again after subscribing, so an answer that came before the wait began is not missed.
 */
export const waitForEnd = (deps: EngineDeps, callId: string, waitMs: number, signal: AbortSignal): Promise<CallEnd> =>
  waitFor(deps, callId, () => endOfCall(deps, deps.store.db, callId), { waitMs, signal });

async function waitFor(
  deps: EngineDeps,
  id: string,
  look: () => Promise<CallEnd | null>,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<CallEnd> {
  const deadline = Date.now() + waitMs;
  let wake: () => void = () => undefined;
  const unsubscribe = deps.signals.subscribe(TOPIC.call(id), () => wake());
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const end = await look();
      if (!end) throw new Error(`${id} is gone.`);
      const left = deadline - Date.now();
      if ((end.kind !== 'held' && end.kind !== 'asked') || left <= 0 || signal.aborted) return end;
      await within(woken, Math.min(left, RECHECK_MS), signal);
    }
  } finally {
    unsubscribe();
  }
}

/** A wake-up can be lost (a process that died after its commit), so a waiter looks again by itself now and then. */
const RECHECK_MS = 5_000;

async function within(event: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
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

/**
 * What came of a decision, for the agent that it belongs to: the upstream's result verbatim, again and again, from any session of that
 * agent; or where it stands after `waitMs`. A decision without a call (a plain question) ends as its answer.
 * @returns `not_found` for unknown ids and for other agents' alike.
 */
export async function awaitDecision(
  deps: EngineDeps,
  caller: Caller,
  id: string,
  wait: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Result<CallEnd, 'not_found'>> {
  const view = viewOf(caller);
  const decision = await findVisibleDecision(deps.store.db, view, id);
  if (!decision) return fail('not_found', `There is no decision ${id}.`);
  if (!decision.call) return ok(await waitFor(deps, id, () => endOfQuestion(deps, deps.store.db, id), wait));
  const call = await findCall(deps.store.db, decision.call);
  if (call) await markCall(deps.store.db, call.id, 'told', deps.now());
  const end = await waitForEnd(deps, decision.call, wait.waitMs, wait.signal);
  if (end.kind !== 'held' && 'agent' in view && !wait.signal.aborted) await markCall(deps.store.db, decision.call, 'delivered', deps.now());
  return ok(end);
}
