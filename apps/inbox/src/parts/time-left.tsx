import { useFrozenAt } from '../data/me.ts';
import { spellDuration, spellTime } from '../ui/duration.ts';
import { useTimeLeft } from '../ui/time.tsx';
import { common } from '../words/common.ts';

/** How long a decision still waits; marked, in more than colour, when that is not long. */
export function TimeLeft({ until, since }: { readonly until: string; readonly since: string }) {
  const stoppedAt = useFrozenAt();
  const { ms, nearness } = useTimeLeft(until, since, stoppedAt);
  if (nearness === 'over') return <span className="whitespace-nowrap text-quiet">{common.overdue}</span>;
  return (
    <time
      dateTime={until}
      title={spellTime(until)}
      className={`whitespace-nowrap ${nearness === 'near' ? 'font-semibold text-amber' : 'text-quiet'}`}
    >
      {stoppedAt !== null && <span aria-hidden>❄ </span>}
      {nearness === 'near' && stoppedAt === null && <span aria-hidden>◷ </span>}
      {spellDuration(ms)} {common.left}
      {stoppedAt !== null && <span className="sr-only">, {common.stopped}</span>}
    </time>
  );
}
