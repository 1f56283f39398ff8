import type { DecisionRow } from '@countersign/contracts';
import { useCallback, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { undoHeld } from '../data/held-answers.ts';
import { Record, type Request } from '../features/decision/record.tsx';
import { DecisionList, type Intent } from '../features/inbox/decision-list.tsx';
import { Key } from '../ui/button.tsx';
import { Blank } from '../ui/notice.tsx';
import { Marked } from '../ui/visible-text.tsx';
import { common } from '../words/common.ts';
import { inbox } from '../words/inbox.ts';

type Opening = Request & { readonly id: string };

/** The list and the record: side by side where there is room, otherwise the record in place of the list. */
export function InboxRoute({ me, openId }: { readonly me: string; readonly openId: string | null }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [opening, setOpening] = useState<Opening | null>(null);
  const [marked, setMarked] = useState<DecisionRow | null>(null);
  const query = search === '' ? '' : `?${search}`;
  const open = useCallback(
    (id: string, intent?: Intent) => {
      setOpening(intent === undefined ? null : { id, effect: intent, at: performance.now() });
      navigate(`/decisions/${id}${query}`);
    },
    [navigate, query],
  );
  const back = useCallback(() => navigate(`/${query}`), [navigate, query]);
  useEffect(() => {
    if (openId === null) document.title = `${inbox.title} · ${common.product}`;
  }, [openId]);
  return (
    <div className="relative grid h-full min-h-0 wide:grid-cols-[minmax(22rem,28rem)_minmax(0,1fr)]">
      <h1 className="sr-only">{inbox.title}</h1>
      <div className={`min-h-0 border-line wide:border-r ${openId === null ? '' : 'max-wide:hidden'}`}>
        <DecisionList me={me} openId={openId} onOpen={open} onBack={back} onMark={setMarked} onUndo={undoHeld} />
      </div>
      <div className={`min-h-0 bg-surface ${openId === null ? 'max-wide:hidden' : ''}`}>
        {openId === null ? (
          <Blank title={inbox.pick}>{inbox.pickHelp}</Blank>
        ) : (
          <Record
            id={openId}
            me={me}
            request={opening?.id === openId ? opening : null}
            onBack={back}
            next={<Next row={marked === null || marked.id === openId || marked.state !== 'pending' ? null : marked} query={query} />}
          />
        )}
      </div>
    </div>
  );
}

/** After an answer the next row is offered, not opened under the person's fingers. */
const Next = ({ row, query }: { readonly row: DecisionRow | null; readonly query: string }) =>
  row === null ? null : (
    <p className="truncate text-sm">
      <span className="text-quiet">{inbox.next}: </span>
      <Link href={`/decisions/${row.id}${query}`}>
        <Marked text={row.title} />
      </Link>{' '}
      <Key>Enter</Key>
    </p>
  );
