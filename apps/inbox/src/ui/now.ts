import { useSyncExternalStore } from 'react';

type Ticker = { readonly subscribe: (listener: () => void) => () => void; readonly read: () => number };

const tickers = new Map<number, Ticker>();
let readClock: () => number = Date.now;

/** Where "now" comes from; set once, before anything is shown. */
export function setClock(now: () => number): void {
  readClock = now;
}

/** One timer for all readers of one step. */
function createTicker(stepMs: number): Ticker {
  const listeners = new Set<() => void>();
  let now = readClock();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = readClock();
        for (const each of listeners) each();
      }, stepMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    read() {
      // Nobody listened for a while, so nothing moved it.
      if (timer === undefined) now = Math.floor(readClock() / 1000) * 1000;
      return now;
    },
  };
}

/** Milliseconds since 1970, renewed every `stepMs`. */
export function useNow(stepMs = 1000): number {
  const ticker = tickers.get(stepMs) ?? createTicker(stepMs);
  tickers.set(stepMs, ticker);
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}
