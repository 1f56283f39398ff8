/** Time and chance as the upstreams use them; a test passes its own. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs `task` once, `ms` from now, unless the returned function is called before. */
  readonly after: (ms: number, task: () => void) => () => void;
  /** In [0, 1). */
  readonly random: () => number;
};

/** A longer timer fires at once in Node, which then warns. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after: (ms, task) => {
    const timer = setTimeout(task, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
