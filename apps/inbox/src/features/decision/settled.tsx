import type { Decision } from '@countersign/contracts';
import { type ReactNode, useEffect, useRef } from 'react';
import { StateMark } from '../../parts/state-mark.tsx';
import { Copy } from '../../ui/copy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Visible, VisibleBlock } from '../../ui/visible-text.tsx';
import { common, listNames } from '../../words/common.ts';
import { answering, relay, timeline, decision as words } from '../../words/decision.ts';
import { resultText } from './context.tsx';

const whoSettled = (decision: Decision, me: string): string =>
  listNames(
    [
      ...new Set(
        decision.answers
          .filter((answer) => answer.effect === (decision.state === 'refused' ? 'refuse' : 'approve'))
          .map((answer) => (answer.principal === me ? common.you : answer.principal)),
      ),
    ],
    common.and,
  );

/** How a decision ended: who, when, with what note; and a note of the reader that somebody else's answer overtook. */
export function SettledBar({
  decision,
  me,
  unsentNote,
  children,
}: {
  readonly decision: Decision;
  readonly me: string;
  readonly unsentNote: string;
  readonly children?: ReactNode;
}) {
  const who = whoSettled(decision, me);
  const note = decision.answers.at(-1)?.note ?? null;
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // The box that had the focus is gone: whoever answered with the keyboard goes on from here.
    if (document.activeElement === document.body) bar.current?.focus({ preventScroll: true });
  }, []);
  const isNoAnswer = decision.state === 'expired' || decision.state === 'withdrawn';
  return (
    <section
      ref={bar}
      tabIndex={-1}
      aria-label={answering.box}
      className="border-t border-line bg-surface pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] outline-none"
    >
      <div className="mx-auto max-w-3xl space-y-2 px-5" role="status">
        <p className="font-medium">
          <StateMark state={decision.state} /> {who !== '' && `${answering.by(who)} `}
          {decision.settledAt && <Ago at={decision.settledAt} suffix={` ${common.ago}`} className="text-quiet" />}
        </p>
        {isNoAnswer && decision.settledReason && (
          <p className="text-sm text-quiet">
            <Visible text={decision.settledReason} />
          </p>
        )}
        {!isNoAnswer && note && (
          <p className="text-sm text-quiet">
            “<Visible text={note} />”
          </p>
        )}
        <Told decision={decision} />
        {unsentNote !== '' && (
          <Notice tone="amber" title={answering.stale} urgent>
            <p className="flex flex-wrap items-center gap-2">
              {answering.unsentNote} “{unsentNote}” <Copy text={unsentNote} label={common.copy} done={common.copied} />
            </p>
          </Notice>
        )}
        {children}
      </div>
    </section>
  );
}

/** Which agents of the chain know by now. */
const Told = ({ decision }: { readonly decision: Decision }) =>
  decision.relay.length === 0 ? null : (
    <p className="text-sm text-quiet">
      {relay.title}:{' '}
      {decision.relay.map(({ agent, toldAt }, place) => (
        <span key={agent}>
          {place > 0 && ', '}
          {agent} {toldAt === null ? `(${relay.notYet})` : <Ago at={toldAt} suffix={` ${common.ago}`} />}
        </span>
      ))}
    </p>
  );

/** What came of the call. */
export function OutcomeView({ decision }: { readonly decision: Decision }) {
  const { outcome, call } = decision;
  if (outcome === null || call === null) return null;
  const text = outcome.result === null ? null : resultText(JSON.stringify(outcome.result));
  return (
    <Section
      title={
        <>
          {timeline.outcome[outcome.state]} · <Ago at={outcome.at} suffix={` ${common.ago}`} />
        </>
      }
    >
      {outcome.state === 'not_run' && <p>{timeline.nothingRan}</p>}
      {outcome.reason && (
        <p className={outcome.state === 'failed' || outcome.state === 'unknown' ? 'text-red' : 'text-quiet'}>
          <Visible text={outcome.reason} />
        </p>
      )}
      {text !== null && (
        <blockquote
          className="max-h-80 overflow-y-auto border-l-2 border-chip-line bg-chip px-3 py-1 font-mono text-sm"
          aria-label={timeline.resultOf(call.tool)}
        >
          <VisibleBlock text={text} />
        </blockquote>
      )}
      {call.effectiveArguments !== null && decision.kind === 'call' && (
        <div className="mt-3">
          <h4 className="text-sm text-quiet">{words.edited}</h4>
          <JsonView value={call.effectiveArguments} as="outline" label={words.edited} />
        </div>
      )}
    </Section>
  );
}
