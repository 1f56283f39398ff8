import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';

/** Rows before the end at which the next page is asked for. */
const AHEAD = 40;

type Props<Row> = {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly draw: (row: Row) => ReactNode;
  readonly rowRem: number;
  /** The row that keys act on; it stays in the page when it is scrolled out of sight, since it may have the focus. */
  readonly markedKey: string | null;
  /** Grows with each step by a key: the marked row is then brought into sight and gets the focus. */
  readonly move: number;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
  /** Stands below the last row while more are read. */
  readonly moreLabel: string;
};

const rowHeight = (rem: number): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * rem;

/** Draws the rows in sight, however many there are. Rows that enter above what is looked at do not push it away. */
export function VirtualList<Row>({ rows, keyOf, draw, rowRem, markedKey, move, hasMore, onEnd, moreLabel }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  height.current ||= rowHeight(rowRem);
  const markedPlace = markedKey === null ? -1 : rows.findIndex((row) => keyOf(row) === markedKey);
  const rangeExtractor = useCallback(
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
    getItemKey: (place) => {
      const row = rows[place];
      return row === undefined ? place : keyOf(row);
    },
    overscan: 8,
    rangeExtractor,
  });
  const lastShown = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= rows.length - AHEAD) onEnd();
  }, [hasMore, lastShown, rows.length, onEnd]);
  useAnchor(box, rows, keyOf, height.current);
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
        {virtual.getVirtualItems().map((item) => {
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
              {draw(row)}
            </li>
          );
        })}
      </ul>
      {hasMore && <p className="px-3 py-4 text-sm text-quiet">{moreLabel}</p>}
    </div>
  );
}

/** Keeps the first row in sight where it is when rows enter or leave above it. At the very top, the newest row is what one looks at. */
function useAnchor<Row>(box: RefObject<HTMLDivElement | null>, rows: readonly Row[], keyOf: (row: Row) => string, height: number): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const was = before.current;
    before.current = rows;
    const element = box.current;
    if (was === rows || element === null || element.scrollTop < height) return;
    const top = Math.floor(element.scrollTop / height);
    const anchor = was[top];
    const place = anchor === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(anchor));
    if (place !== -1 && place !== top) element.scrollTop += (place - top) * height;
  }, [rows, box, keyOf, height]);
}
