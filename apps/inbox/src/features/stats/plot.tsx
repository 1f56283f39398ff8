import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Section } from '../../ui/section.tsx';
import { stats as words } from '../../words/stats.ts';
import { type Day, hrefOfDay } from './days.ts';

export type Tick = { readonly place: number; readonly label: string };

type Props = {
  readonly title: string;
  readonly unit: string;
  readonly ticks: readonly Tick[];
  readonly days: readonly Day[];
  /** What is drawn for a day, in a box as high as the axis. */
  readonly draw: (day: Day) => ReactNode;
  /** The same in words. */
  readonly say: (day: Day) => string;
  readonly legend?: ReactNode;
  readonly table: ReactNode;
};

/** About so many dates stand below a plot. */
const DATES = 5;

/** A value for each day, between marks with their units; each day leads to its decisions and is said in words when it is pointed at. */
export function DayPlot({ title, unit, ticks, days, draw, say, legend, table }: Props) {
  const [active, setActive] = useState<string | null>(null);
  const every = Math.ceil(days.length / DATES);
  const shown = days.find((day) => day.day === active);
  return (
    <Section title={title} level={2}>
      <p className="text-sm text-quiet">{unit}</p>
      {legend}
      <div className="mt-3 flex">
        <div aria-hidden className="relative h-48 w-14 shrink-0 text-right text-sm text-quiet">
          {ticks.map((tick) => (
            <span
              key={tick.label}
              className="absolute right-2 translate-y-1/2 whitespace-nowrap"
              style={{ bottom: `${tick.place * 100}%` }}
            >
              {tick.label}
            </span>
          ))}
        </div>
        <div className="min-w-0 flex-1">
          <div className="relative h-48 border-b border-line-strong">
            {ticks.map((tick) => (
              <span
                key={tick.label}
                aria-hidden
                className="absolute inset-x-0 border-t border-line"
                style={{ bottom: `${tick.place * 100}%` }}
              />
            ))}
            <ol className="absolute inset-0 flex" aria-label={title} onMouseLeave={() => setActive(null)}>
              {days.map((day) => (
                <li key={day.day} className="relative min-w-0 flex-1 px-px" onMouseEnter={() => setActive(day.day)}>
                  {day.asks === 0 ? null : (
                    <Link
                      href={hrefOfDay(day.day)}
                      aria-label={say(day)}
                      onFocus={() => setActive(day.day)}
                      className={`relative mx-auto block h-full max-w-8 ${active === day.day ? 'bg-accent-soft' : ''}`}
                    >
                      {draw(day)}
                    </Link>
                  )}
                </li>
              ))}
            </ol>
          </div>
          <div aria-hidden className="flex text-sm text-quiet">
            {days.map((day, place) => (
              <span key={day.day} className="relative h-6 min-w-0 flex-1">
                {(days.length - 1 - place) % every === 0 && (
                  <span className="absolute top-0.5 right-0 whitespace-nowrap">{shortDay(day.day)}</span>
                )}
              </span>
            ))}
          </div>
        </div>
      </div>
      <p className="mt-1 min-h-5 pl-14 text-sm">{shown === undefined ? <span className="text-quiet">{words.hint}</span> : say(shown)}</p>
      <details className="mt-2">
        <summary className="w-fit text-sm text-quiet hover:text-ink">{words.table}</summary>
        <div className="mt-2 max-h-96 overflow-auto">{table}</div>
      </details>
    </Section>
  );
}

const shortDay = (day: string): string => new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });

type TableProps = {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
};

/** Figures in rows; the first cell names the row, the others are numbers. */
export const FigureTable = ({ label, head, rows }: TableProps) => (
  <table className="border-collapse text-sm" aria-label={label}>
    <thead>
      <tr className="border-b border-line-strong text-quiet">
        {head.map((name, place) => (
          <th key={name} scope="col" className={`px-2 py-1 font-medium whitespace-nowrap ${place === 0 ? 'text-left' : 'text-right'}`}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, cells: [name, ...numbers] }) => (
        <tr key={key} className="border-b border-line">
          <th scope="row" className="px-2 py-1 text-left font-normal">
            {name}
          </th>
          {numbers.map((cell, place) => {
            // Cells have no identity but their column.
            const column = place;
            return (
              <td key={column} className="px-2 py-1 text-right whitespace-nowrap">
                {cell}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);
