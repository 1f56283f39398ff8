import type { DecisionRow } from '@countersign/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { clock } from '../../data/client.ts';
import { decisionCount, decisionList } from '../../data/decisions.ts';
import { Failure } from '../../parts/failure.tsx';
import { announce } from '../../ui/announce.ts';
import { useKeys } from '../../ui/keyboard.ts';
import { Blank, Loading } from '../../ui/notice.tsx';
import { useSettings } from '../../ui/settings.ts';
import { visibleLine } from '../../ui/visible.ts';
import { common } from '../../words/common.ts';
import { inbox } from '../../words/inbox.ts';
import { BulkBar } from './bulk-bar.tsx';
import { EmptyInbox } from './empty-inbox.tsx';
import { FilterBar } from './filter-bar.tsx';
import { FILTER_NAMES, filtersOf } from './filters.ts';
import { useMarkedRow } from './use-marked-row.ts';
import { useSelection } from './use-selection.ts';
import { VirtualRows } from './virtual-rows.tsx';

export type Intent = 'approve' | 'refuse' | 'edit';

type Props = {
  readonly me: string;
  readonly openId: string | null;
  /** Opens a record; with an intent, its answer box is made ready for that. Nothing is answered. */
  readonly onOpen: (id: string, intent?: Intent) => void;
  readonly onBack: () => void;
  /** The row that the next keys act on. */
  readonly onMark: (row: DecisionRow | null) => void;
  /** Called first for `u`; true when there was something to undo. */
  readonly onUndo: () => boolean;
};

const NO_ROWS: readonly DecisionRow[] = [];

/** The list of decisions, with its filters, its keys and its bulk answers. */
export function DecisionList({ me, openId, onOpen, onBack, onMark, onUndo }: Props) {
  const [search] = useSearchParams();
  const asked = search.toString();
  // Ages count from when they were chosen, so that the list stands still.
  const filters = useMemo(() => filtersOf(new URLSearchParams(asked), clock.now()), [asked]);
  const list = useInfiniteQuery(decisionList(filters));
  const total = useQuery(decisionCount(filters));
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? NO_ROWS, [list.data]);
  const { markedId, setMarkedId, isSettled } = useMarkedRow(rows, openId);
  const selection = useSelection(rows);
  const searchBox = useRef<HTMLInputElement>(null);
  const marked = rows.find((row) => row.id === markedId) ?? null;
  useEffect(() => onMark(marked), [marked, onMark]);
  const { isMoved, move } = useListKeys({
    rows,
    markedId: markedId ?? openId,
    setMarkedId,
    isSettled,
    onOpen,
    onBack,
    onUndo,
    selection,
    searchBox,
  });

  return (
    <section aria-label={inbox.list} className="flex h-full min-h-0 flex-col">
      <FilterBar searchBox={searchBox} />
      <div className="relative min-h-0 flex-1">
        {list.isPending ? (
          <Loading label={common.loading} />
        ) : list.isError && rows.length === 0 ? (
          <Failure error={list.error} what={inbox.listFailed} onAgain={() => void list.refetch()} />
        ) : rows.length === 0 && !list.hasNextPage ? (
          search.has('q') || FILTER_NAMES.some((name) => search.has(name)) ? (
            <Blank title={inbox.noMatch} />
          ) : (
            <EmptyInbox />
          )
        ) : (
          <VirtualRows
            rows={rows}
            me={me}
            openId={openId}
            markedId={markedId}
            move={move}
            selected={selection.ids}
            onSelect={selection.toggle}
            onMark={setMarkedId}
            hasMore={list.hasNextPage}
            onEnd={() => void (list.isFetchingNextPage || list.fetchNextPage())}
          />
        )}
      </div>
      {isMoved && <p className="border-t border-line bg-amber-soft px-3 py-2 text-sm">{inbox.moved}</p>}
      <BulkBar rows={selection.rows} onClear={selection.clear} />
      {selection.rows.length === 0 && (
        <p className="flex justify-between border-t border-line px-3 py-1.5 text-sm text-quiet max-sm:hidden">
          <span>{inbox.keysHint}</span>
          <span>{total.data !== undefined && total.data > 0 && inbox.total(total.data)}</span>
        </p>
      )}
    </section>
  );
}

type KeyProps = Pick<Props, 'onOpen' | 'onBack' | 'onUndo'> & {
  readonly rows: readonly DecisionRow[];
  readonly markedId: string | null;
  readonly setMarkedId: (id: string) => void;
  readonly isSettled: () => boolean;
  readonly selection: ReturnType<typeof useSelection>;
  readonly searchBox: RefObject<HTMLInputElement | null>;
};

const MOVED_SHOWN_MS = 2500;

/** `move` grows with each step by a key: the list then brings the marked row into sight. */
function useListKeys({ rows, markedId, setMarkedId, isSettled, onOpen, onBack, onUndo, selection, searchBox }: KeyProps) {
  const { keys } = useSettings();
  const [isMoved, setMoved] = useState(false);
  const [move, setMove] = useState(0);
  useEffect(() => {
    if (!isMoved) return;
    const timer = setTimeout(() => setMoved(false), MOVED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isMoved]);
  const step = (by: number): void => {
    const place = rows.findIndex((row) => row.id === markedId);
    const next = rows[Math.min(rows.length - 1, Math.max(0, place === -1 ? 0 : place + by))];
    if (next === undefined) return;
    setMarkedId(next.id);
    setMove((n) => n + 1);
    announce(visibleLine(next.title));
  };
  const onMarked = (act: (id: string) => void) => () => {
    if (markedId === null) return;
    if (isSettled()) return act(markedId);
    setMoved(true);
    announce(inbox.moved);
  };
  useKeys(
    {
      j: () => step(1),
      k: () => step(-1),
      Enter: onMarked((id) => onOpen(id)),
      a: onMarked((id) => onOpen(id, 'approve')),
      r: onMarked((id) => onOpen(id, 'refuse')),
      e: onMarked((id) => onOpen(id, 'edit')),
      x: onMarked((id) => selection.toggle(id)),
      '/': () => searchBox.current?.focus(),
      u: () => void (onUndo() || onBack()),
    },
    keys,
  );
  return { isMoved, move };
}
