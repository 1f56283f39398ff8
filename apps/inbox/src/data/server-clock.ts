/**
 * The server's time. Deadlines are the server's, and a reader's clock may be an hour off: ages and "time left" are counted from the Date
 * header of the last answer, which is right to a second.
 */
export type ServerClock = {
  /** Milliseconds since 1970 on the server. */
  now(): number;
  /** Takes the Date header of an answer into account. */
  observe(response: Response): void;
};

/** A header is up to a second old when it is written: differences below this are noise. */
const NOISE_MS = 2000;

export function createServerClock(localNow: () => number = Date.now): ServerClock {
  let offsetMs = 0;
  return {
    now: () => localNow() + offsetMs,
    observe(response) {
      const at = Date.parse(response.headers.get('date') ?? '');
      if (Number.isNaN(at)) return;
      const offset = at + 500 - localNow();
      if (Math.abs(offset - offsetMs) > NOISE_MS) offsetMs = Math.abs(offset) > NOISE_MS ? offset : 0;
    },
  };
}
