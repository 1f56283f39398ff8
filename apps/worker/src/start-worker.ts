/** The worker: dispatches approved calls, keeps deadlines, and finds what fell between two chairs. Importing this starts nothing. */
import { dispatchCall, expireDecision, type Host, reconcile, relayOutbox, remindOfDecision, TOPIC } from '@countersign/runtime';

const RELAY_EVERY_MS = 500;
const RECONCILE_EVERY_MS = 5_000;
/** Dispatches at a time; what waits for an upstream costs nothing here. */
const CONCURRENCY = 8;

export type Worker = { close(): Promise<void> };

/**
 * Starts working for a host. Signals are the fast path and jobs the safety net: both end in the same claim, so any of them may come twice,
 * late or not at all. `close` waits for what is in hand.
 */
export async function startWorker({ deps, queue, log, startedAt }: Host): Promise<Worker> {
  const inHand = new Set<Promise<void>>();
  const take = (work: Promise<void>, what: string): void => {
    const guarded: Promise<void> = work
      .catch((error: unknown) => log.error({ err: error }, `${what} failed; the reconciler comes back to it`))
      .finally(() => inHand.delete(guarded));
    inHand.add(guarded);
  };

  const stopSignals = deps.signals.subscribe(TOPIC.dispatch, (id) => take(dispatchCall(deps, id), 'A dispatch'));
  const consumer = await queue.work(
    { dispatch: (id) => dispatchCall(deps, id), expire: (id) => expireDecision(deps, id), remind: (id) => remindOfDecision(deps, id) },
    { concurrency: CONCURRENCY },
  );
  await reconcile(deps, queue, startedAt);
  const stopRelay = every(
    RELAY_EVERY_MS,
    async () => void (await relayOutbox(deps, queue)),
    (error) => log.warn({ err: error }, 'The relay failed'),
  );
  const stopReconciler = every(
    RECONCILE_EVERY_MS,
    () => reconcile(deps, queue, startedAt),
    (error) => log.warn({ err: error }, 'The reconciler failed'),
  );

  return {
    close: async () => {
      stopSignals();
      await Promise.all([stopRelay(), stopReconciler()]);
      await consumer.close();
      await Promise.all(inHand);
    },
  };
}

/** Runs `work` again and again, `ms` after each end. The returned function waits for the round in hand and ends it. */
function every(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): () => Promise<void> {
  let isOver = false;
  let timer: NodeJS.Timeout;
  let round: Promise<void> = Promise.resolve();
  const next = (): void => {
    timer = setTimeout(() => {
      round = work()
        .catch(onError)
        .finally(() => {
          if (!isOver) next();
        });
    }, ms);
  };
  next();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await round;
  };
}
