/** Where the marks of an axis stand: numbers that people count in. */

/** From 0 to at least `highest`, in three to five even steps of 1, 2 or 5 times a power of ten. */
export function countTicks(highest: number): readonly number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, place) => place * step);
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIMES = [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY];

/** Round times around everything from `shortest` to `longest`, for an axis that is logarithmic: answers take seconds or days. */
export function timeTicks(shortest: number, longest: number): readonly number[] {
  const from = Math.max(
    0,
    TIMES.findLastIndex((time) => time <= shortest),
  );
  const above = TIMES.findIndex((time) => time >= longest);
  const to = above === -1 ? TIMES.length - 1 : above;
  return TIMES.slice(from, Math.max(to, from + 1) + 1);
}

/** Where `ms` stands between the first and the last of `ticks`, from 0 to 1, logarithmically. */
export function timePlace(ms: number, ticks: readonly number[]): number {
  const [low = SECOND] = ticks;
  const high = ticks.at(-1) ?? DAY;
  const place = (Math.log(Math.max(ms, 1)) - Math.log(low)) / (Math.log(high) - Math.log(low));
  return Math.min(1, Math.max(0, place));
}
