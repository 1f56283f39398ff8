import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import type { DecisionRow } from '../../data/rows.ts';
import { inbox } from '../../words/inbox.ts';
import { DecisionRowView } from './decision-row.tsx';

/** Rows before the end at which the next page is asked for. */
const AHEAD = 40;
const ROW_REM = 4;

type Props = {
  readonly rows: readonly DecisionRow[];
  readonly me: string;
  readonly openId: string | null;
  readonly markedId: string | null;
  readonly move: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string) => void;
  readonly onMark: (id: string) => void;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
};

const rowHeight = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * ROW_REM;

/** Draws the rows in sight, however many there are. Rows that enter above what is looked at do not push it away. */
export function VirtualRows({ rows, me, openId, markedId, move, selected, onSelect, onMark, hasMore, onEnd }: Props) {
  const search = useSearch();
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  height.current ||= rowHeight();
  const markedPlace = rows.findIndex((row) => row.id === markedId);
  const rangeExtractor = useCallback(
    // The marked row stays in the page when it is scrolled out of sight: it may have the focus.
    (range: Range) => {
      const places = defaultRangeExtractor(range);
      if (markedPlace === -1 || places.includes(markedPlace)) return places;
      return [...places, markedPlace].sort((a, b) => a - b);
    },
    [markedPlace],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height.current,
    getItemKey: (place) => rows[place]?.id ?? place,
    overscan: 8,
    rangeExtractor,
  });
  const items = virtual.getVirtualItems();
  const lastShown = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= rows.length - AHEAD) onEnd();
  }, [hasMore, lastShown, rows.length, onEnd]);
  useAnchor(box, rows, height.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step by a key, not a move of the list, brings the row into sight
  useEffect(() => {
    if (move === 0 || markedPlace === -1) return;
    virtual.scrollToIndex(markedPlace, { align: 'auto' });
    // Whoever reads by focus goes along; the link is there because the marked row always is.
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[data-marked] a')?.focus({ preventScroll: true }));
  }, [move]);
  return (
    <div ref={box} className="absolute inset-0 overflow-y-auto overscroll-contain [contain:strict]" data-list>
      <ul className="relative m-0 list-none p-0" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <li
              key={item.key}
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={item.index + 1}
              className="absolute top-0 left-0 w-full"
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              <DecisionRowView
                row={row}
                href={`/decisions/${row.id}${search === '' ? '' : `?${search}`}`}
                me={me}
                isMarked={row.id === markedId}
                isOpen={row.id === openId}
                isSelected={selected.has(row.id)}
                onMark={onMark}
                onSelect={onSelect}
              />
            </li>
          );
        })}
      </ul>
      {hasMore && <p className="px-3 py-4 text-sm text-quiet">{inbox.moreComing}</p>}
    </div>
  );
}

/** Keeps the first row in sight where it is when rows enter or leave above it. At the very top, the newest row is what one looks at. */
function useAnchor(box: React.RefObject<HTMLDivElement | null>, rows: readonly DecisionRow[], height: number): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const was = before.current;
    before.current = rows;
    const element = box.current;
    if (was === rows || element === null || element.scrollTop < height) return;
    const top = Math.floor(element.scrollTop / height);
    const anchor = was[top];
    const place = anchor === undefined ? -1 : rows.findIndex((row) => row.id === anchor.id);
    if (place !== -1 && place !== top) element.scrollTop += (place - top) * height;
  }, [rows, box, height]);
}
