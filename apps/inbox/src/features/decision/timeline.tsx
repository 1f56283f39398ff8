import type { AuditEvent, Decision } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
import { isOnItsWay } from '../../data/decisions.ts';
import { timelineOf } from '../../data/timeline.ts';
import { spellTime } from '../../ui/duration.ts';
import { Section } from '../../ui/section.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { timeline as words } from '../../words/decision.ts';
import { actorWords, eventWords } from '../../words/events.ts';

type Entry = { readonly key: string; readonly at: string; readonly who: string; readonly what: string; readonly note: string | null };

const noteOf = ({ payload }: AuditEvent): string | null => {
  for (const name of ['note', 'reason']) if (typeof payload[name] === 'string' && payload[name] !== '') return payload[name];
  return null;
};

const fromLog = (events: readonly AuditEvent[]): readonly Entry[] =>
  events.map((event) => ({ key: event.id, at: event.at, who: actorWords(event.actor), what: eventWords[event.type], note: noteOf(event) }));

/** The same from the record alone, for readers to whom the log of the agent's principal is closed. */
export function fromRecord(decision: Decision): readonly Entry[] {
  const { answers, outcome } = decision;
  return [
    { key: 'raised', at: decision.createdAt, who: decision.agent, what: eventWords['decision.raised'], note: null },
    ...answers.map((answer) => ({
      key: answer.id,
      at: answer.at,
      who: answer.principal,
      what: eventWords[answer.effect === 'approve' ? 'decision.approved' : 'decision.refused'],
      note: answer.note,
    })),
    ...(decision.settledAt !== null && (decision.state === 'expired' || decision.state === 'withdrawn')
      ? [{ key: 'settled', at: decision.settledAt, who: '', what: eventWords[`decision.${decision.state}`], note: decision.settledReason }]
      : []),
    ...(outcome ? [{ key: 'outcome', at: outcome.at, who: '', what: words.outcome[outcome.state], note: outcome.reason }] : []),
  ];
}

const clockTime = (iso: string): string => new Date(iso).toLocaleTimeString(undefined, { timeStyle: 'medium' });

/** From asking to outcome; grows while it is looked at. */
export function Timeline({ decision }: { readonly decision: Decision }) {
  const log = useQuery(timelineOf(decision));
  const entries = log.data !== undefined && log.data.length > 0 ? fromLog(log.data) : fromRecord(decision);
  return (
    <Section title={words.title}>
      <ol className="border-l border-line pl-4" aria-live="polite">
        {entries.map((entry) => (
          <li
            key={entry.key}
            className="relative py-1 text-sm before:absolute before:top-2.5 before:-left-[1.2rem] before:size-1.5 before:rounded-full before:bg-line-strong"
          >
            <time dateTime={entry.at} title={spellTime(entry.at)} className="mr-3 text-quiet">
              {clockTime(entry.at)}
            </time>
            {entry.who !== '' && (
              <span className="font-medium">
                <Visible text={entry.who} />
                <span className="text-quiet"> · </span>
              </span>
            )}
            {entry.what}
            {entry.note !== null && (
              <span className="text-quiet">
                : “<Visible text={entry.note} />”
              </span>
            )}
          </li>
        ))}
        {isOnItsWay(decision) && <li className="py-1 text-sm text-quiet">{words.running}</li>}
      </ol>
    </Section>
  );
}
