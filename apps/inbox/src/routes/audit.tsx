import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { AuditList, useAuditEvents } from '../features/audit/audit-list.tsx';
import { EventDetails } from '../features/audit/event-details.tsx';
import { withFilter } from '../parts/filters.tsx';
import { useTitle } from '../parts/page.tsx';
import { Blank } from '../ui/notice.tsx';
import { audit as words } from '../words/audit.ts';

/** The log and one event of it: side by side where there is room, otherwise the event in place of the list. */
export function AuditRoute() {
  const [search, setSearch] = useSearchParams();
  const [, navigate] = useLocation();
  const found = useAuditEvents();
  const openCursor = search.get('event');
  const hrefOf = useCallback((cursor: string) => `/audit?${withFilter(search, 'event', cursor)}`, [search]);
  const back = useCallback(() => setSearch((current) => withFilter(current, 'event', null)), [setSearch]);
  useTitle(words.title);
  return (
    <div className="relative grid h-full min-h-0 wide:grid-cols-[minmax(22rem,30rem)_minmax(0,1fr)]">
      <h1 className="sr-only">{words.title}</h1>
      <div className={`min-h-0 border-line wide:border-r ${openCursor === null ? '' : 'max-wide:hidden'}`}>
        <AuditList {...found} openCursor={openCursor} hrefOf={hrefOf} onOpen={(cursor) => navigate(hrefOf(cursor))} />
      </div>
      <div className={`min-h-0 bg-surface ${openCursor === null ? 'max-wide:hidden' : ''}`}>
        {openCursor === null ? (
          <Blank title={words.pick}>{words.pickHelp}</Blank>
        ) : (
          <EventDetails
            key={openCursor}
            cursor={openCursor}
            known={found.events.find((event) => event.cursor === openCursor) ?? null}
            onBack={back}
          />
        )}
      </div>
    </div>
  );
}
