import type { AuditEvent } from '@countersign/contracts';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { auditLog, auditTail } from '../../data/audit.ts';
import { clock } from '../../data/client.ts';
import { Failure } from '../../parts/failure.tsx';
import { useKeys } from '../../ui/keyboard.ts';
import { Blank, Loading } from '../../ui/notice.tsx';
import { useSettings } from '../../ui/settings.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { audit as words } from '../../words/audit.ts';
import { common } from '../../words/common.ts';
import { AuditFilters } from './audit-filters.tsx';
import { EventRow } from './event-row.tsx';
import { FILTER_NAMES, filtersOf } from './filters.ts';

type Props = {
  readonly openCursor: string | null;
  readonly hrefOf: (cursor: string) => string;
  readonly onOpen: (cursor: string) => void;
};

const ROW_REM = 3.5;
const NO_EVENTS: readonly AuditEvent[] = [];
const cursorOf = (event: AuditEvent): string => event.cursor;

/** The events that the address asks for. "Since" counts from when it was chosen, so that the list stands still. */
export function useAuditEvents() {
  const [search] = useSearchParams();
  const queryClient = useQueryClient();
  const withoutOpen = useMemo(() => {
    const rest = new URLSearchParams(search);
    for (const name of ['event', 'live']) rest.delete(name);
    return rest.toString();
  }, [search]);
  const filters = useMemo(() => filtersOf(new URLSearchParams(withoutOpen), clock.now()), [withoutOpen]);
  const log = useInfiniteQuery(auditLog(filters));
  const isLive = search.get('live') !== 'off';
  useQuery({ ...auditTail(queryClient, filters), enabled: isLive && log.isSuccess });
  const events = useMemo(() => log.data?.pages.flatMap((page) => page.items) ?? NO_EVENTS, [log.data]);
  return { log, events, isLive };
}

/** The log, newest first, with its filters and its keys. */
export function AuditList({ log, events, isLive, openCursor, hrefOf, onOpen }: Props & ReturnType<typeof useAuditEvents>) {
  const [search] = useSearchParams();
  const searchBox = useRef<HTMLInputElement>(null);
  const { marked, setMarked, move } = useRowKeys(events, openCursor, onOpen, searchBox);
  const isFiltered = search.has('q') || FILTER_NAMES.some((name) => search.has(name));
  return (
    <section aria-label={words.list} className="flex h-full min-h-0 flex-col">
      <AuditFilters searchBox={searchBox} isLive={isLive} />
      <div className="relative min-h-0 flex-1">
        {log.isPending ? (
          <Loading label={common.loading} />
        ) : log.isError && events.length === 0 ? (
          <Failure error={log.error} what={words.failed} onAgain={() => void log.refetch()} />
        ) : events.length === 0 ? (
          <Blank title={isFiltered ? words.noMatch : words.empty}>{!isFiltered && words.emptyHelp}</Blank>
        ) : (
          <VirtualList
            rows={events}
            keyOf={cursorOf}
            rowRem={ROW_REM}
            markedKey={marked}
            move={move}
            hasMore={log.hasNextPage}
            onEnd={() => void (log.isFetchingNextPage || log.fetchNextPage())}
            moreLabel={words.more}
            draw={(event) => (
              <EventRow
                event={event}
                href={hrefOf(event.cursor)}
                isMarked={event.cursor === marked}
                isOpen={event.cursor === openCursor}
                onMark={setMarked}
              />
            )}
          />
        )}
      </div>
      <p className="flex justify-between border-t border-line px-3 py-1.5 text-sm text-quiet max-sm:hidden">
        <span>{words.keysHint}</span>
        <span>
          {events.length.toLocaleString('en')}
          {log.hasNextPage && '+'}
        </span>
      </p>
    </section>
  );
}

function useRowKeys(
  events: readonly AuditEvent[],
  openCursor: string | null,
  onOpen: (cursor: string) => void,
  searchBox: React.RefObject<HTMLInputElement | null>,
) {
  const { keys } = useSettings();
  const [marked, setMarked] = useState(openCursor);
  const [move, setMove] = useState(0);
  const step = useCallback(
    (by: number) => {
      const place = events.findIndex((event) => event.cursor === marked);
      const next = events[Math.min(events.length - 1, Math.max(0, place === -1 ? 0 : place + by))];
      if (next === undefined) return;
      setMarked(next.cursor);
      setMove((n) => n + 1);
    },
    [events, marked],
  );
  const openMarked = (): void => void (marked !== null && onOpen(marked));
  useKeys(
    {
      j: () => step(1),
      k: () => step(-1),
      Enter: openMarked,
      '/': () => searchBox.current?.focus(),
    },
    keys,
  );
  return { marked, setMarked, move };
}
