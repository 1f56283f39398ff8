import type { AuditEvent } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { oneEvent } from '../../data/audit.ts';
import { Failure } from '../../parts/failure.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { spellTime } from '../../ui/duration.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { Blank, Loading } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { audit as words } from '../../words/audit.ts';
import { common } from '../../words/common.ts';
import { actorWords, eventWords } from '../../words/events.ts';

type Props = {
  readonly cursor: string;
  /** The event itself, where the list has it. */
  readonly known: AuditEvent | null;
  readonly onBack: () => void;
};

/** One event, whole. */
export function EventDetails({ cursor, known, onBack }: Props) {
  const read = useQuery({ ...oneEvent(cursor), enabled: known === null });
  const event = known ?? read.data;
  if (event === undefined && read.isError)
    return <Failure error={read.error} what={words.eventFailed} onAgain={() => void read.refetch()} />;
  if (event === undefined) return <Loading label={common.loading} />;
  if (event === null) return <Blank title={words.gone} />;
  return (
    <article aria-labelledby="event-title" className="h-full overflow-y-auto overscroll-contain" data-event={cursor}>
      <div className="mx-auto max-w-3xl px-5 pt-3 pb-10">
        <button type="button" onClick={onBack} className="min-h-8 rounded pr-2 text-sm text-accent wide:hidden">
          <span aria-hidden>‹ </span>
          {words.back}
        </button>
        <h2 id="event-title" className="mt-2 text-lg font-semibold">
          {eventWords[event.type] ?? event.type}
        </h2>
        <Facts event={event} />
        <Section title={words.recorded}>
          <JsonView value={event.payload} as="outline" label={words.recorded} />
        </Section>
      </div>
    </article>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex gap-3 py-1">
    <dt className="w-24 shrink-0 text-sm text-quiet">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);

const Facts = ({ event }: { readonly event: AuditEvent }) => (
  <dl className="mt-3">
    <Fact name={words.who}>
      <Visible text={actorWords(event.actor)} />{' '}
      <span className="text-sm text-quiet">
        {event.actor.kind === 'host' ? words.part(event.actor.name) : words.actor[event.actor.kind]}
      </span>
    </Fact>
    <Fact name={words.when}>
      <time dateTime={event.at}>{spellTime(event.at)}</time>{' '}
      <span className="text-sm text-quiet">
        <Ago at={event.at} suffix={` ${common.ago}`} />
      </span>
    </Fact>
    {event.agent !== null && (
      <Fact name={words.agent}>
        <Link href={`/agents/${encodeURIComponent(event.agent)}`}>
          <Visible text={event.agent} />
        </Link>
      </Fact>
    )}
    {event.principal !== null && (
      <Fact name={words.ofPrincipal}>
        <Visible text={event.principal} />
      </Fact>
    )}
    {event.decision !== null && (
      <Fact name={words.decision}>
        <Link href={`/decisions/${event.decision}`}>{words.openDecision}</Link> · <All name="decision" id={event.decision} />
      </Fact>
    )}
    {event.call !== null && (
      <Fact name={words.call}>
        <All name="call" id={event.call} />
      </Fact>
    )}
    {event.run !== null && (
      <Fact name={words.run}>
        <All name="run" id={event.run} />
      </Fact>
    )}
    <Fact name={words.event}>
      <code className="font-mono text-sm">{event.type}</code> <ShortId id={event.id} />
    </Fact>
    <Fact name={words.seal}>{event.seq === null ? words.notSealed : words.sealedAs(event.seq)}</Fact>
  </dl>
);

const All = ({ name, id }: { readonly name: 'decision' | 'call' | 'run'; readonly id: string }) => (
  <>
    <Link href={`/audit?${name}=${encodeURIComponent(id)}`}>{words.allOfThis}</Link> <ShortId id={id} />
  </>
);
