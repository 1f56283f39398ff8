import type { AnswerInput, Decision } from '@countersign/contracts';
import { useEffect, useRef, useState } from 'react';
import { failureOf, isLoggedOut } from '../../data/client.ts';
import { useConnection } from '../../data/connection.ts';
import { holdAnswer, undoHeld, useHeldAnswers } from '../../data/held-answers.ts';
import { Button, Key } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { useSettings } from '../../ui/settings.ts';
import { listNames } from '../../words/common.ts';
import { answering as words } from '../../words/decision.ts';
import type { Draft } from './draft.ts';
import { readEdited } from './edit.ts';
import { Remember, type Wish } from './remember.tsx';
import { isStale, useAnswer } from './use-answer.ts';
import { WhatHappens } from './what-happens.tsx';

export type Effect = 'approve' | 'refuse';

type Props = {
  readonly decision: Decision;
  readonly me: string;
  /** All of what would run was within reach on this page. */
  readonly isWhole: boolean;
  readonly onToEnd: () => void;
  readonly armed: Effect | null;
  readonly onArm: (effect: Effect | null) => void;
  readonly draft: Draft;
  readonly onDraft: (change: Partial<Draft>) => void;
  readonly onEdit: () => void;
};

const LABELS = (decision: Decision, isEdited: boolean): Readonly<Record<Effect, string>> => {
  if (decision.kind === 'tool') return { approve: words.acceptTool, refuse: words.keepQuarantine };
  if (decision.kind === 'outcome') return { approve: words.sendAgain, refuse: words.leaveIt };
  return { approve: isEdited ? words.approveEdited : words.approve, refuse: words.refuse };
};

/** Why an approval can't be sent yet; null when it can. */
function obstacle({ decision, isWhole, draft }: Pick<Props, 'decision' | 'isWhole' | 'draft'>): string | null {
  if (!isWhole) return words.waitsFor.whole;
  if (draft.edited !== null && !readEdited(draft.edited).ok) return words.waitsFor.edit;
  if (decision.irreversible && draft.note.trim() === '') return words.waitsFor.note;
  return null;
}

/** Refuse, edit, approve: each takes a second step, in which it is said what will happen. */
export function AnswerBox(props: Props) {
  const { decision, armed, onArm, draft, isWhole, onToEnd, onEdit, me } = props;
  const { held } = useHeldAnswers();
  const mine = held.find((each) => each.decision === decision.id);
  const may = { approve: decision.allowed.includes('approve'), refuse: decision.allowed.includes('refuse') };
  if (mine) return <HeldBar sendsAt={mine.sendsAt} decision={decision.id} />;
  if (!may.approve && !may.refuse) return <NotYours decision={decision} me={me} />;
  if (armed !== null && may[armed]) return <Armed {...props} armed={armed} />;
  const labels = LABELS(decision, draft.edited !== null);
  const others = waitsFor({ decision, me });
  return (
    <Bar>
      {others !== null && <p className="mb-2 text-sm text-quiet">{words.already(others)}</p>}
      {!isWhole && may.approve && (
        <p className="mb-2 flex flex-wrap items-center gap-2 text-sm text-quiet">
          {words.waitsFor.whole}
          <Button look="quiet" onClick={onToEnd}>
            {words.toEnd}
          </Button>
        </p>
      )}
      <div className="flex gap-2">
        {may.refuse && (
          <Button size="large" className="max-sm:flex-1" onClick={() => onArm('refuse')}>
            {labels.refuse} <Key>r</Key>
          </Button>
        )}
        {may.approve && decision.kind === 'call' && draft.edited === null && (
          <Button size="large" className="max-sm:flex-1" onClick={onEdit}>
            {words.edit} <Key>e</Key>
          </Button>
        )}
        {may.approve && (
          <Button
            size="large"
            look={decision.irreversible ? 'grave' : 'strong'}
            className="max-sm:flex-1"
            disabled={!isWhole}
            onClick={() => onArm('approve')}
          >
            {labels.approve} <Key>a</Key>
          </Button>
        )}
      </div>
    </Bar>
  );
}

const Bar = ({ children, isGrave = false }: { readonly children: React.ReactNode; readonly isGrave?: boolean }) => (
  <section
    aria-label={words.box}
    className={`border-t bg-surface pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] ${isGrave ? 'border-t-2 border-red' : 'border-line'}`}
  >
    <div className="mx-auto max-w-3xl px-5">{children}</div>
  </section>
);

type Mine = { readonly decision: Decision; readonly me: string };

/** Whose approval is missing beside that of `me`; null where `me` has not approved. */
function waitsFor({ decision, me }: Mine): string | null {
  if (!decision.answers.some((answer) => answer.principal === me && answer.effect === 'approve')) return null;
  return listNames(decision.answerBy.filter((name) => !decision.answers.some((answer) => answer.principal === name)));
}

const NotYours = (mine: Mine) => {
  const others = waitsFor(mine);
  return (
    <Bar>
      <p className="text-quiet">{others === null ? words.youMayNot(listNames(mine.decision.answerBy)) : words.already(others)}</p>
    </Bar>
  );
};

function HeldBar({ sendsAt, decision }: { readonly sendsAt: number; readonly decision: string }) {
  useNow(250);
  const seconds = Math.max(0, Math.ceil((sendsAt - performance.now()) / 1000));
  return (
    <Bar>
      <p className="flex items-center gap-3" role="status">
        {words.held(seconds)}
        <Button onClick={() => undoHeld(decision)}>
          {words.undo} <Key>u</Key>
        </Button>
      </p>
    </Bar>
  );
}

/** A second press that was meant for the first button must not count. */
const SETTLE_MS = 400;

type ArmedProps = Props & { readonly armed: Effect };

/** Whether the mandate of `me` is what the call lacks. A rule asks whatever the mandate says, so there a term more would change nothing. */
const lacksTermOf = (decision: Decision, me: string): boolean =>
  decision.grounds.some((ground) => ground.kind === 'term' && ground.answerBy.includes(me));

function Armed({ decision, me, armed, onArm, isWhole, draft, onDraft }: ArmedProps) {
  const note = useRef<HTMLTextAreaElement>(null);
  const armedAt = useRef(performance.now());
  const answer = useAnswer(decision.id);
  const { undoSeconds } = useSettings();
  const isOffline = useConnection() === 'offline';
  const edited = draft.edited === null ? null : readEdited(draft.edited);
  const problem = isOffline ? words.waitsFor.offline : armed === 'approve' ? obstacle({ decision, isWhole, draft }) : null;
  const [sawVersion, setSawVersion] = useState(decision.version);
  useEffect(() => {
    const box = note.current;
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);
  useEffect(() => {
    armedAt.current = performance.now();
    setSawVersion(decision.version);
  }, [decision.version]);

  const [wish, setWish] = useState<Wish | null>(null);
  const term = armed === 'approve' && edited === null && lacksTermOf(decision, me) ? decision.rememberTerm : null;

  const input = (): AnswerInput => ({
    version: decision.version,
    shownDigest: decision.shownDigest,
    effect: armed,
    ...(draft.note.trim() !== '' && { note: draft.note.trim() }),
    ...(armed === 'approve' && edited?.ok && { editedArgs: edited.value }),
    ...(term !== null && wish !== null && { remember: wish }),
  });
  const send = async (): Promise<string | null> => {
    try {
      await answer.mutateAsync(input());
      onDraft({ note: '', edited: null });
      return null;
    } catch (error) {
      return failureOf(error).message;
    }
  };
  const act = (): void => {
    if (problem !== null || answer.isPending || sawVersion !== decision.version || performance.now() - armedAt.current < SETTLE_MS) return;
    if (armed === 'approve' && undoSeconds > 0) {
      onArm(null);
      holdAnswer(decision.id, decision.title, undoSeconds, send);
    } else void send();
  };
  const labels = LABELS(decision, edited !== null);
  const isGrave = armed === 'approve' && decision.irreversible;
  return (
    <Bar isGrave={isGrave}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onArm(null);
        }}
      >
        <WhatHappens decision={decision} effect={armed} note={draft.note.trim()} isEdited={edited !== null} />
        <label className="sr-only" htmlFor="answer-note">
          {isGrave ? words.noteRequired : words.note}
        </label>
        <textarea
          id="answer-note"
          ref={note}
          rows={2}
          maxLength={4000}
          required={isGrave}
          className="field mt-2"
          placeholder={isGrave ? words.noteRequired : armed === 'refuse' ? words.notePlaceholderRefuse : words.notePlaceholder}
          value={draft.note}
          onChange={(event) => onDraft({ note: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.nativeEvent.isComposing || event.repeat) return;
            event.preventDefault();
            act();
          }}
        />
        {armed === 'refuse' && decision.kind === 'call' && (
          <fieldset className="mt-2 flex flex-wrap gap-1.5" aria-label={words.presetsLabel}>
            {words.presets.map((preset) => (
              <button
                key={preset}
                type="button"
                className="motion rounded-full border border-line-strong px-2.5 py-0.5 text-sm hover:bg-sunken"
                onClick={() => onDraft({ note: preset })}
              >
                {preset}
              </button>
            ))}
          </fieldset>
        )}
        {term !== null && <Remember term={term} wish={wish} onChange={setWish} />}
        <Failed answer={answer} />
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <Button size="large" onClick={() => onArm(null)}>
            {words.backOut} <Key>Esc</Key>
          </Button>
          <Button
            type="submit"
            size="large"
            look={armed === 'refuse' ? 'plain' : isGrave ? 'grave' : 'strong'}
            className={`max-sm:flex-1 ${armed === 'refuse' ? 'border-2 border-ink' : ''}`}
            disabled={problem !== null || answer.isPending}
          >
            {answer.isPending ? words.sending : labels[armed]} <Key>Enter</Key>
          </Button>
          {problem !== null && <span className="text-sm text-quiet">{problem}</span>}
        </div>
      </form>
    </Bar>
  );
}

function Failed({ answer }: { readonly answer: ReturnType<typeof useAnswer> }) {
  if (!answer.isError) return null;
  const failure = failureOf(answer.error);
  const help = isLoggedOut(answer.error)
    ? words.loggedOut
    : failure.code === 'client.unreachable'
      ? words.unreachable
      : isStale(failure)
        ? words.staleKept
        : null;
  return (
    <div className="mt-2">
      <Notice tone="amber" title={isStale(failure) ? words.stale : words.notSent} urgent>
        <p>{failure.message}</p>
        {help && <p>{help}</p>}
      </Notice>
    </div>
  );
}
