const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time as people say it, rounded to what matters: `8 s`, `4 min`, `3 h 12 min`, `2 days`. */
export function spellDuration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY) {
    const minutes = Math.floor((length % HOUR) / MINUTE);
    const hours = Math.floor(length / HOUR);
    return minutes === 0 || hours >= 6 ? `${Math.round(length / HOUR)} h` : `${hours} h ${minutes} min`;
  }
  const days = Math.round(length / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}

/** The reader's own zone, to the second. */
export const spellTime = (iso: string): string => new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
