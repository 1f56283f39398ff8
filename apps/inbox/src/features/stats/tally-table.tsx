import type { Tally } from '@countersign/contracts';
import type { ReactNode } from 'react';
import { spellDuration } from '../../ui/duration.ts';
import { stats as words } from '../../words/stats.ts';
import { FigureTable } from './plot.tsx';

const { columns } = words;
const HEAD = [
  columns.asks,
  columns.approved,
  columns.refused,
  columns.expired,
  columns.withdrawn,
  columns.median,
  columns.p90,
  columns.under2s,
];

const spell = (ms: number | null): string => (ms === null ? '–' : spellDuration(ms));
const n = (value: number): string => value.toLocaleString('en');

type Props = {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly { readonly key: string; readonly name: ReactNode; readonly tally: Tally }[];
};

/** Everything that is counted, for each of some groups. */
export const TallyTable = ({ label, first, rows }: Props) => (
  <FigureTable
    label={label}
    head={[first, ...HEAD]}
    rows={rows.map(({ key, name, tally }) => ({
      key,
      cells: [
        name,
        n(tally.asks),
        n(tally.approved),
        n(tally.refused),
        n(tally.expired),
        n(tally.withdrawn),
        spell(tally.medianMs),
        spell(tally.p90Ms),
        n(tally.under2s),
      ],
    }))}
  />
);
