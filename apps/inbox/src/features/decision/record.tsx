import type { Decision } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { oneDecision } from '../../data/decisions.ts';
import { Failure } from '../../parts/failure.tsx';
import { Loading, Notice } from '../../ui/notice.tsx';
import { visibleLine } from '../../ui/visible.ts';
import { Marked } from '../../ui/visible-text.tsx';
import { common } from '../../words/common.ts';
import { decision as words } from '../../words/decision.ts';
import { AnswerBox, type Effect } from './answer-box.tsx';
import { Arguments } from './arguments.tsx';
import { Chain } from './chain.tsx';
import { Context } from './context.tsx';
import { useDraft } from './draft.ts';
import { writeEdited } from './edit.ts';
import { EditPanel } from './edit-panel.tsx';
import { EvidenceList } from './evidence.tsx';
import { historyOf } from './history.ts';
import { Past } from './past.tsx';
import { comparedOf } from './payload.ts';
import { Reasons } from './reasons.tsx';
import { RecordHead } from './record-head.tsx';
import { OutcomeView, SettledBar } from './settled.tsx';
import { Timeline } from './timeline.tsx';

/** What the list asked the record to be ready for. `at` tells one press of a key from the next. */
export type Request = { readonly effect: Effect | 'edit'; readonly at: number };

type Props = {
  readonly id: string;
  readonly me: string;
  readonly request: Request | null;
  readonly onBack: () => void;
  /** Offered after an answer. */
  readonly next: ReactNode;
};

/** One decision from asking to outcome, and the box that answers it. */
export function Record({ id, me, request, onBack, next }: Props) {
  const query = useQuery(oneDecision(id));
  if (query.isPending) return <Loading label={common.loading} />;
  if (query.isError && query.data === undefined)
    return <Failure error={query.error} what={words.failed} onAgain={() => void query.refetch()} />;
  return <Body key={id} decision={query.data} me={me} request={request} onBack={onBack} next={next} />;
}

/** The arguments that an approved call ran with, which its principal may have edited. */
const ranOf = (approved: Decision | null): unknown => approved?.call?.effectiveArguments ?? approved?.call?.arguments ?? null;

type BodyProps = Omit<Props, 'id'> & { readonly decision: Decision };

function Body({ decision, me, request, onBack, next }: BodyProps) {
  const { draft, change } = useDraft(decision.id);
  const [armed, setArmed] = useState<Effect | null>(null);
  const [isWhole, setWhole] = useState(false);
  /** Grows with each wish to edit: the first field then gets the focus. */
  const [editAsked, setEditAsked] = useState(0);
  const scroll = useRef<HTMLDivElement>(null);
  const history = useQuery(historyOf(decision));
  const original = decision.call?.arguments ?? null;
  const isPending = decision.state === 'pending';
  const isEditing = draft.edited !== null;
  const startEdit = useCallback(() => {
    if (original === null || decision.kind !== 'call') return;
    setArmed(null);
    if (!isEditing) change({ edited: writeEdited(original) });
    setEditAsked((n) => n + 1);
  }, [original, decision.kind, isEditing, change]);
  useEffect(() => {
    if (editAsked === 0) return;
    const field = scroll.current?.querySelector<HTMLElement>('[data-edit-first]');
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  }, [editAsked]);
  useRequest(request, isPending, startEdit, setArmed);
  useEffect(() => {
    document.title = `${visibleLine(decision.title)} · ${common.product}`;
  }, [decision.title]);
  const wasPending = useRef(isPending);
  useEffect(() => {
    // What came of it stands at the top.
    if (wasPending.current && !isPending) scroll.current?.scrollTo({ top: 0 });
    wasPending.current = isPending;
  }, [isPending]);
  const onWhole = useCallback(() => setWhole(true), []);
  const compared = comparedOf(decision) ?? (isPending && decision.kind === 'call' ? ranOf(history.data?.lastApproved ?? null) : null);

  return (
    <article aria-labelledby="record-title" className="flex h-full min-h-0 flex-col bg-surface">
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto overscroll-contain" data-record={decision.id}>
        <div className="mx-auto max-w-3xl px-5 pt-3 pb-10">
          <RecordHead decision={decision} onBack={onBack} />
          <h2 id="record-title" className="mt-2 text-lg font-semibold [overflow-wrap:anywhere]">
            <Marked text={decision.title} />
          </h2>
          {decision.irreversible && (
            <div className="mt-2">
              <Notice tone="red" title={`⚠ ${words.irreversible}`}>
                {isPending && <p>{words.irreversibleHelp}</p>}
              </Notice>
            </div>
          )}
          <Links decision={decision} />
          {!isPending && <OutcomeView decision={decision} />}
          <Reasons decision={decision} me={me} />
          {decision.kind !== 'tool' && <Chain decision={decision} />}
          <Arguments decision={decision} compared={compared} onWhole={onWhole} />
          {isPending && draft.edited !== null && original !== null && (
            <EditPanel
              decision={decision}
              original={original}
              text={draft.edited}
              onChange={(edited) => change({ edited })}
              onStop={() => change({ edited: null })}
              onDone={() => setArmed('approve')}
            />
          )}
          <Context decision={decision} />
          <EvidenceList decision={decision} />
          {decision.call && <Past decision={decision} past={history.data?.past ?? []} />}
          <Timeline decision={decision} />
        </div>
      </div>
      {isPending ? (
        <AnswerBox
          decision={decision}
          me={me}
          isWhole={isWhole}
          onToEnd={() => scrollToEnd(scroll.current)}
          armed={armed}
          onArm={setArmed}
          draft={draft}
          onDraft={change}
          onEdit={startEdit}
        />
      ) : (
        <SettledBar decision={decision} me={me} unsentNote={draft.note}>
          {next}
        </SettledBar>
      )}
    </article>
  );
}

/** A key that was pressed in the list arrives here once. */
function useRequest(request: Request | null, isPending: boolean, onEdit: () => void, onArm: (effect: Effect) => void): void {
  const taken = useRef<number | null>(null);
  useEffect(() => {
    if (request === null || !isPending || taken.current === request.at) return;
    taken.current = request.at;
    if (request.effect === 'edit') onEdit();
    else onArm(request.effect);
  }, [request, isPending, onEdit, onArm]);
}

/** Frames that the end of long arguments may take to come, and to stand still. */
const MOST_FRAMES = 240;
const STILL_FRAMES = 3;

/** Long arguments have a box of their own; its lines get their heights as they are drawn, so the end is approached in steps. */
function scrollToEnd(record: HTMLElement | null): void {
  const box = record?.querySelector<HTMLElement>('[data-scrolls]');
  if (!box) return;
  box.scrollIntoView({ block: 'center' });
  box.focus({ preventScroll: true });
  let frames = 0;
  let still = 0;
  const step = (): void => {
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
    still = isAtEnd ? still + 1 : 0;
    if (!isAtEnd) box.scrollTop = box.scrollHeight;
    frames += 1;
    if (still < STILL_FRAMES && frames < MOST_FRAMES) requestAnimationFrame(step);
  };
  step();
}

const Links = ({ decision }: { readonly decision: Decision }) => (
  <>
    {decision.supersedes && (
      <p className="mt-2 text-sm text-quiet">
        {words.supersedes} <Link href={`/decisions/${decision.supersedes}`}>{words.see}</Link>
      </p>
    )}
    {decision.supersededBy && (
      <p className="mt-2 text-sm text-quiet">
        {words.supersededBy} <Link href={`/decisions/${decision.supersededBy}`}>{words.see}</Link>
      </p>
    )}
  </>
);
