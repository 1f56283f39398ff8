import type { Stats } from '@countersign/contracts';
import { Link } from 'wouter';
import { shareApproved } from '../../data/stats.ts';
import { spellDuration } from '../../ui/duration.ts';
import { spellShare } from '../../ui/numbers.ts';
import { Section } from '../../ui/section.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { stats as words } from '../../words/stats.ts';
import { FILLS } from './day-plots.tsx';
import { PARTS, partsOf, spellParts } from './days.ts';
import { TallyTable } from './tally-table.tsx';

type Named = Stats['rules'][number];
type Props = {
  readonly title: string;
  readonly rows: readonly Named[];
  readonly hrefOf: (name: string) => string;
  readonly empty?: string;
};

const SHOWN = 12;

/** What a row says beside its bar: what decides whether its questions were worth asking. */
const notesOn = (row: Named): string => {
  const share = shareApproved(row);
  return [
    ...(share === null ? [] : [words.byNote(spellShare(share))]),
    ...(row.medianMs === null ? [] : [words.byMedian(spellDuration(row.medianMs))]),
    ...(row.expired > 0 ? [words.byExpired(row.expired)] : []),
    ...(row.under2s > 0 ? [words.byUnder2s(row.under2s)] : []),
  ].join(' · ');
};

/** Questions by rule or by agent, those that asked most first; each leads to its decisions. */
export function ByName({ title, rows, hrefOf, empty }: Props) {
  const most = Math.max(1, ...rows.map((row) => row.asks));
  return (
    <Section title={title} level={2}>
      {rows.length === 0 && empty !== undefined && <p className="text-quiet">{empty}</p>}
      <ol className="max-w-4xl">
        {rows.slice(0, SHOWN).map((row) => {
          const parts = partsOf(row);
          return (
            <li key={row.name} className="py-1.5">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <Link href={hrefOf(row.name)} className="font-mono text-sm">
                  <Visible text={row.name} />
                </Link>
                <span className="text-sm">{words.asks(row.asks)}</span>
                <span className="text-sm text-quiet">{notesOn(row)}</span>
              </p>
              <span aria-hidden title={spellParts(row)} className="mt-1 flex h-3.5" style={{ width: `${(row.asks / most) * 100}%` }}>
                {PARTS.filter((part) => parts[part] > 0).map((part) => (
                  <span key={part} className={`min-w-0.5 ${FILLS[part]}`} style={{ flexGrow: parts[part] }} />
                ))}
              </span>
            </li>
          );
        })}
      </ol>
      {rows.length > SHOWN && <p className="text-sm text-quiet">{words.more(rows.length - SHOWN)}</p>}
      {rows.length > 0 && (
        <details className="mt-2">
          <summary className="w-fit text-sm text-quiet hover:text-ink">{words.table}</summary>
          <div className="mt-2 max-h-96 overflow-auto">
            <TallyTable
              label={title}
              first={words.columns.name}
              rows={rows.map((row) => ({ key: row.name, name: <Link href={hrefOf(row.name)}>{row.name}</Link>, tally: row }))}
            />
          </div>
        </details>
      )}
    </Section>
  );
}
