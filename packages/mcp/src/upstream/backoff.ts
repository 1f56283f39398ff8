const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the `attempt`-th try in a row (1 is the first after a failure): doubling from 250 ms to 30 s, less up to half of it
 * by chance, so that many upstreams of one dead host do not come back in step. `random` is in [0, 1).
 */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(ceiling * (1 - random / 2));
}
