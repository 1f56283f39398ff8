import type { Stats } from '@countersign/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { shareApproved } from '../../data/stats.ts';
import { spellDuration } from '../../ui/duration.ts';
import { spellShare } from '../../ui/numbers.ts';
import { stats as words } from '../../words/stats.ts';

const Figure = ({ name, value, note }: { readonly name: string; readonly value: ReactNode; readonly note: ReactNode }) => (
  <div className="border-t-2 border-line-strong pt-2">
    <dt className="text-sm text-quiet">{name}</dt>
    <dd>
      <span className="block text-lg font-semibold">{value}</span>
      <span className="text-sm text-quiet">{note}</span>
    </dd>
  </div>
);

/** One decimal where a whole number would say nothing. */
const perDay = (asks: number, days: number): string => {
  const rate = asks / Math.max(1, days);
  return rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 });
};

/** The figures that the plots below explain. */
export const Figures = ({ stats: { total, pending, days } }: { readonly stats: Stats }) => {
  const share = shareApproved(total);
  const answered = total.approved + total.refused;
  return (
    <dl aria-label={words.figures} className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-3 wide:grid-cols-6">
      <Figure name={words.asksADay} value={perDay(total.asks, days.length)} note={words.asks(total.asks)} />
      <Figure
        name={words.median}
        value={total.medianMs === null ? '–' : spellDuration(total.medianMs)}
        note={total.p90Ms === null ? words.noAnswer : words.p90(spellDuration(total.p90Ms))}
      />
      <Figure
        name={words.approved}
        value={share === null ? '–' : spellShare(share)}
        note={share === null ? words.noAnswer : words.approvedOf(total.approved, answered)}
      />
      <Figure
        name={words.expired}
        value={total.expired === 0 ? 0 : <Link href="/?state=expired">{total.expired.toLocaleString('en')}</Link>}
        note={words.expiredNote}
      />
      <Figure name={words.under2s} value={total.under2s.toLocaleString('en')} note={words.under2sNote} />
      <Figure name={words.pending} value={<Link href="/">{pending.toLocaleString('en')}</Link>} note={words.pendingNote} />
    </dl>
  );
};
