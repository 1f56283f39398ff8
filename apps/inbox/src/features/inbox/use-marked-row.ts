import type { DecisionRow } from '@countersign/contracts';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/** For this long after rows moved under the person's fingers, keys do nothing: they were meant for what stood there before (E4). */
export const SETTLE_MS = 400;

/** Whether rows changed places, rather than more of them being loaded at the end. */
export const hasMoved = (before: readonly DecisionRow[], after: readonly DecisionRow[]): boolean =>
  before.length > 0 && before.some((row, place) => after[place]?.id !== row.id);

/** Where the mark goes when its row left: to the row that took its place, else to the last one. */
export const successor = (before: readonly DecisionRow[], after: readonly DecisionRow[], id: string): string | null => {
  const place = before.findIndex((row) => row.id === id);
  const left = new Set(after.map((row) => row.id));
  const next = before.slice(place + 1).find((row) => left.has(row.id)) ?? after.at(-1);
  return place === -1 ? null : (next?.id ?? null);
};

/** The one row that keys act on, and whether the list has stood still long enough for them to. */
export function useMarkedRow(rows: readonly DecisionRow[], openId: string | null) {
  const [markedId, setMarkedId] = useState<string | null>(openId);
  const before = useRef(rows);
  const movedAt = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    const was = before.current;
    before.current = rows;
    if (was === rows || !hasMoved(was, rows)) return;
    movedAt.current = performance.now();
    setMarkedId((id) => (id === null || rows.some((row) => row.id === id) ? id : successor(was, rows, id)));
  }, [rows]);
  useLayoutEffect(() => {
    if (openId !== null) setMarkedId(openId);
  }, [openId]);
  const isSettled = useCallback(() => performance.now() - movedAt.current >= SETTLE_MS, []);
  return { markedId, setMarkedId, isSettled };
}
