import type { DecisionRow } from '@countersign/contracts';
import { useCallback, useMemo, useState } from 'react';

/** So many that a person can still read them all before answering. */
export const MOST = 50;

/** Rows chosen for one answer. What is no longer pending, or no longer listed, is no longer chosen. */
export function useSelection(rows: readonly DecisionRow[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selected = useMemo(() => rows.filter((row) => chosen.has(row.id) && row.state === 'pending'), [rows, chosen]);
  const ids = useMemo(() => new Set(selected.map((row) => row.id)), [selected]);
  const toggle = useCallback((id: string) => {
    setChosen((current) => {
      const next = new Set(current);
      if (!next.delete(id) && next.size < MOST) next.add(id);
      return next;
    });
  }, []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return { rows: selected, ids, toggle, clear };
}
