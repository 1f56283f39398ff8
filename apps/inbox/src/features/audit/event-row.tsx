import type { AuditEvent } from '@countersign/contracts';
import { memo } from 'react';
import { Link } from 'wouter';
import { Ago } from '../../ui/time.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { actorWords, eventWords } from '../../words/events.ts';
import { gistOf } from './event-gist.ts';

type Props = {
  readonly event: AuditEvent;
  readonly href: string;
  readonly isMarked: boolean;
  readonly isOpen: boolean;
  readonly onMark: (cursor: string) => void;
};

/** What happened, when, who did it and what tells it apart. */
export const EventRow = memo(({ event, href, isMarked, isOpen, onMark }: Props) => {
  const gist = gistOf(event);
  return (
    <div
      className={`relative h-full border-b border-line ${isOpen ? 'bg-accent-soft' : isMarked ? 'bg-sunken' : 'hover:bg-sunken'}`}
      data-row={event.cursor}
      data-marked={isMarked || undefined}
    >
      {isMarked && <span aria-hidden className="absolute inset-y-0 left-0 w-1 bg-accent" />}
      <Link
        href={href}
        onFocus={() => onMark(event.cursor)}
        aria-current={isOpen ? 'true' : undefined}
        className="flex h-full flex-col justify-center px-4 text-ink no-underline -outline-offset-2"
      >
        <span className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate font-medium">{eventWords[event.type] ?? event.type}</span>
          <Ago at={event.at} className="shrink-0 text-sm text-quiet" />
        </span>
        <span className="truncate text-sm text-quiet">
          <Visible text={actorWords(event.actor)} />
          {event.agent !== null && event.agent !== event.actor.name && (
            <>
              {' '}
              → <Visible text={event.agent} />
            </>
          )}
          {gist !== '' && (
            <>
              {' '}
              · <Visible text={gist} />
            </>
          )}
        </span>
      </Link>
    </div>
  );
});
