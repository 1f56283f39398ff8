import type { DecisionRow } from '@countersign/contracts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { bulk } from '../../words/inbox.ts';
import { MOST } from './use-selection.ts';

const BulkDialog = lazy(() => import('./bulk-dialog.tsx').then((module) => ({ default: module.BulkDialog })));

type Open = { readonly effect: 'approve' | 'refuse'; readonly rows: readonly DecisionRow[] };

/** What can be done with the selected rows. The dialog outlives the selection: answered rows are selected no longer, and it reports on them. */
export function BulkBar({ rows, onClear }: { readonly rows: readonly DecisionRow[]; readonly onClear: () => void }) {
  // The rows of the moment it was opened: what settles meanwhile is reported, not silently left out.
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <>
      {rows.length > 0 && (
        <div className="border-t border-line bg-surface px-3 py-2">
          <p className="mb-2 text-sm font-medium" role="status">
            {bulk.selected(rows.length)}
            {rows.length >= MOST && <span className="text-quiet"> · {bulk.limit(MOST)}</span>}
          </p>
          <div className="flex gap-2">
            <Button onClick={() => setOpen({ effect: 'refuse', rows })}>{bulk.refuse}</Button>
            <Button onClick={() => setOpen({ effect: 'approve', rows })}>{bulk.approve}</Button>
            <Button look="quiet" onClick={onClear}>
              {bulk.clear}
            </Button>
          </div>
        </div>
      )}
      {open && (
        <Suspense>
          <BulkDialog effect={open.effect} rows={open.rows} onClose={() => setOpen(null)} onDone={onClear} />
        </Suspense>
      )}
    </>
  );
}
