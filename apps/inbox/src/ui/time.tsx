import { spellDuration, spellTime } from './duration.ts';
import { useNow } from './now.ts';

const MINUTE = 60_000;

/** When something happened, as an age; exact on hover. */
export function Ago({ at, suffix = '', className }: { readonly at: string; readonly suffix?: string; readonly className?: string }) {
  const age = useNow() - Date.parse(at);
  return (
    <time dateTime={at} title={spellTime(at)} className={className}>
      {spellDuration(age)}
      {suffix}
    </time>
  );
}

export type Nearness = 'far' | 'near' | 'over';

/**
 * How long until `at`. Near: a tenth of the time from `since` is left, or less than a quarter of an hour. `stoppedAt`: when the clock that
 * counts was stopped, if it was.
 */
export function useTimeLeft(at: string, since: string, stoppedAt: number | null): { readonly ms: number; readonly nearness: Nearness } {
  const ticking = useNow();
  const now = stoppedAt ?? ticking;
  const ms = Date.parse(at) - now;
  const whole = Date.parse(at) - Date.parse(since);
  if (ms <= 0) return { ms: 0, nearness: 'over' };
  return { ms, nearness: ms < Math.min(15 * MINUTE, whole / 2) || ms < whole / 10 ? 'near' : 'far' };
}
