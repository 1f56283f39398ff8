import type { Decision, Ground } from '@countersign/contracts';
import { Link } from 'wouter';
import { Section } from '../../ui/section.tsx';
import { Visible, VisibleBlock } from '../../ui/visible-text.tsx';
import { decision as words } from '../../words/decision.ts';

const STRICTNESS: Readonly<Record<Ground['effect'], number>> = { refuse: 0, ask: 1 };

/** Refusals before questions, what holds the call before what is only recorded; otherwise in the order of evaluation. */
export const strictestFirst = (grounds: readonly Ground[]): readonly Ground[] =>
  [...grounds].sort((a, b) => Number(a.mode === 'shadow') - Number(b.mode === 'shadow') || STRICTNESS[a.effect] - STRICTNESS[b.effect]);

function Reason({ ground, isFirst }: { readonly ground: Ground; readonly isFirst: boolean }) {
  return (
    <li className="py-1">
      <div className={isFirst ? '' : 'text-quiet'}>
        <VisibleBlock text={ground.reason} />
      </div>
      <p className="text-sm text-quiet">
        {words.ground[ground.kind]}
        {ground.rule && (
          <>
            {' '}
            <Link href={`/rules?rule=${ground.rule}`} className="font-mono">
              {ground.rule}
            </Link>
          </>
        )}
        {ground.when && (
          <>
            {' '}
            · {ground.when !== 'always' && words.when} <Visible text={ground.when} />
          </>
        )}
        {ground.mode === 'shadow' && ` · ${words.shadow}`}
      </p>
      {ground.unevaluable && (
        <p className="text-sm text-amber">
          ⚠ <Visible text={words.unevaluable(ground.unevaluable)} />
        </p>
      )}
    </li>
  );
}

function titleFor(answerBy: readonly string[], me: string): string {
  if (!answerBy.includes(me)) return words.whyThey(answerBy);
  const others = answerBy.filter((name) => name !== me);
  return others.length === 0 ? words.whyYou : `${words.whyYou} (${words.othersToo(others)})`;
}

/** Every ground, the strictest first. */
export const Reasons = ({ decision, me }: { readonly decision: Decision; readonly me: string }) => (
  <Section title={titleFor(decision.answerBy, me)}>
    <ul>
      {strictestFirst(decision.grounds).map((ground, place) => (
        <Reason key={`${ground.kind} ${ground.rule ?? ''} ${ground.reason}`} ground={ground} isFirst={place === 0} />
      ))}
    </ul>
  </Section>
);
