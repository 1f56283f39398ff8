const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A span as people say it, rounded down to its largest unit: `4 min`, `3 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

export const since = (time: string, now: Date): string => span(now.getTime() - Date.parse(time));
export const until = (time: string, now: Date): string => {
  const ms = Date.parse(time) - now.getTime();
  return ms > 0 ? `${span(ms)} left` : 'overdue';
};
