import type { Stats } from '@countersign/contracts';
import { spellDuration } from '../../ui/duration.ts';
import { stats as words } from '../../words/stats.ts';
import { countTicks, timePlace, timeTicks } from './axis.ts';
import { type Day, PARTS, type Part, partsOf, spellDay, spellParts } from './days.ts';
import { DayPlot } from './plot.tsx';
import { TallyTable } from './tally-table.tsx';

/** How each part is filled: told apart by pattern, not only by colour. See `fill-*` in app.css. */
export const FILLS: Readonly<Record<Part, string>> = {
  approved: 'fill-solid',
  refused: 'fill-stripes',
  expired: 'fill-dots',
  withdrawn: 'fill-lines',
  open: 'fill-empty',
};

const DayTable = ({ days, label }: { readonly days: readonly Day[]; readonly label: string }) => (
  <TallyTable label={label} first={words.columns.day} rows={days.map((day) => ({ key: day.day, name: spellDay(day.day), tally: day }))} />
);

export const Legend = () => (
  <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
    {PARTS.map((part) => (
      <li key={part} className="flex items-center gap-1.5">
        <span aria-hidden className={`inline-block size-3.5 ${FILLS[part]}`} />
        {words.parts[part]}
      </li>
    ))}
  </ul>
);

/** Questions of each day, stacked by what became of them. */
export function AsksPerDay({ stats }: { readonly stats: Stats }) {
  const ticks = countTicks(Math.max(...stats.days.map((day) => day.asks)));
  const top = ticks.at(-1) ?? 1;
  return (
    <DayPlot
      title={words.perDay}
      unit={words.perDayUnit}
      ticks={ticks.map((tick) => ({ place: tick / top, label: tick.toLocaleString('en') }))}
      days={stats.days}
      legend={<Legend />}
      say={(day) => `${words.day(spellDay(day.day), day.asks)} (${spellParts(day)})`}
      table={<DayTable days={stats.days} label={words.perDay} />}
      draw={(day) => {
        const parts = partsOf(day);
        return (
          <span className="absolute inset-x-0 bottom-0 flex flex-col-reverse" style={{ height: `${(day.asks / top) * 100}%` }}>
            {PARTS.filter((part) => parts[part] > 0).map((part) => (
              <span key={part} className={`min-h-0.5 ${FILLS[part]}`} style={{ flexGrow: parts[part] }} />
            ))}
          </span>
        );
      }}
    />
  );
}

/** Time to answer of each day, on an axis from seconds to days. */
export function TimePerDay({ stats }: { readonly stats: Stats }) {
  const times = stats.days.flatMap(({ medianMs, p90Ms }) => (medianMs === null ? [] : [medianMs, p90Ms ?? medianMs]));
  if (times.length === 0) return null;
  const ticks = timeTicks(Math.min(...times), Math.max(...times));
  const place = (ms: number): number => timePlace(ms, ticks);
  return (
    <DayPlot
      title={words.timePerDay}
      unit={words.timeUnit}
      ticks={ticks.map((tick) => ({ place: place(tick), label: spellDuration(tick) }))}
      days={stats.days}
      say={({ day, medianMs, p90Ms }) =>
        medianMs === null
          ? `${spellDay(day)}: ${words.noAnswer}`
          : words.median1(spellDay(day), spellDuration(medianMs), spellDuration(p90Ms ?? medianMs))
      }
      table={<DayTable days={stats.days} label={words.timePerDay} />}
      draw={({ medianMs, p90Ms }) => {
        if (medianMs === null) return null;
        const from = place(medianMs);
        const to = place(p90Ms ?? medianMs);
        return (
          <>
            <span
              className="absolute left-1/2 w-0.5 -translate-x-1/2 bg-accent"
              style={{ bottom: `${from * 100}%`, height: `${(to - from) * 100}%` }}
            />
            <span
              className="absolute left-1/2 size-2.5 -translate-x-1/2 translate-y-1/2 rounded-full border-2 border-surface bg-accent"
              style={{ bottom: `${from * 100}%` }}
            />
          </>
        );
      }}
    />
  );
}
