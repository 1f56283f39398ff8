import type { Tally } from '@countersign/contracts';
import { shareApproved } from '../../data/stats.ts';
import { spellDuration } from '../../ui/duration.ts';
import { spellShare } from '../../ui/numbers.ts';

/** A rule's cost in attention as four cells; dashes where nothing was asked. */
export function costCells(tally: Tally | undefined): { asks: string; approved: string; median: string; under2s: string } {
  if (tally === undefined) return { asks: '0', approved: '–', median: '–', under2s: '–' };
  const share = shareApproved(tally);
  return {
    asks: tally.asks.toLocaleString('en'),
    approved: share === null ? '–' : spellShare(share),
    median: tally.medianMs === null ? '–' : spellDuration(tally.medianMs),
    under2s: tally.under2s.toLocaleString('en'),
  };
}
