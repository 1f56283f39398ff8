import type { Decision } from '@countersign/contracts';
import { Link } from 'wouter';
import { StateMark } from '../../parts/state-mark.tsx';
import { Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Marked, Visible } from '../../ui/visible-text.tsx';
import { common, listNames } from '../../words/common.ts';
import { decision as words } from '../../words/decision.ts';
import type { Past as PastDecision } from './history.ts';

const Item = ({ past }: { readonly past: PastDecision }) => {
  const { decision, likeness } = past;
  const note = decision.answers.findLast((answer) => answer.note !== null)?.note;
  return (
    <li className="py-1.5">
      <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <StateMark state={decision.state} />
        <Link href={`/decisions/${decision.id}`} className="min-w-0">
          <Marked text={decision.title} />
        </Link>
        <span className="text-quiet">
          {decision.answers.length > 0 && `${listNames(decision.answers.map((answer) => answer.principal))} · `}
          {words[likeness]} · <Ago at={decision.settledAt ?? decision.createdAt} suffix={` ${common.ago}`} />
        </span>
      </p>
      {note && (
        <p className="pl-5 text-sm text-quiet">
          “<Visible text={note} />”
        </p>
      )}
    </li>
  );
};

/** Whether this was decided before. */
export const Past = ({ decision, past }: { readonly decision: Decision; readonly past: readonly PastDecision[] }) => (
  <Section title={words.history}>
    {decision.afterRefusalOf && (
      <p className="text-sm text-amber">
        {words.afterRefusal}: <Link href={`/decisions/${decision.afterRefusalOf}`}>{words.seeRefusal}</Link>
      </p>
    )}
    {past.length === 0 ? (
      <p className="text-sm text-quiet">{words.noHistory}</p>
    ) : (
      <ul>
        {past.map((each) => (
          <Item key={each.decision.id} past={each} />
        ))}
      </ul>
    )}
  </Section>
);
