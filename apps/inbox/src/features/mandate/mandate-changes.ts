import type { MandateTerms, Term } from '@countersign/contracts';
import { spellTime } from '../../ui/duration.ts';
import { agents } from '../../words/agents.ts';
import { mandate as words } from '../../words/mandate.ts';

export type Line = { readonly text: string; readonly code: string | null };
export type Change = Line & { readonly kind: 'added' | 'removed' };

/** One term as a person reads it, its expression apart. */
export const lineOfTerm = (term: Term): Line => ({
  text: [
    `${term.tool}: ${term.when}`,
    ...(term.expires_at === undefined ? [] : [words.until(spellTime(term.expires_at))]),
    ...(term.uses === undefined ? [] : [`${words.uses.toLowerCase()}: ${term.uses}`]),
  ].join(' · '),
  code: term.match ?? null,
});

const linesOf = ({ scopes, terms, budget }: MandateTerms): readonly Line[] => [
  ...scopes.map((scope) => ({ text: words.scopeLine(agents.scope[scope]), code: null })),
  ...(budget ? [{ text: words.budgetLine(budget.usd, budget.per), code: null }] : []),
  ...terms.map(lineOfTerm),
];

/** What is gone and what is new, line by line. Moving a term changes nothing, so it is no change. */
export function changesBetween(was: MandateTerms, now: MandateTerms): readonly Change[] {
  const counts = new Map<string, number>();
  const nameOf = (line: Line): string => JSON.stringify([line.text, line.code]);
  for (const line of linesOf(was)) counts.set(nameOf(line), (counts.get(nameOf(line)) ?? 0) + 1);
  const added: Change[] = [];
  for (const line of linesOf(now)) {
    const left = counts.get(nameOf(line)) ?? 0;
    if (left > 0) counts.set(nameOf(line), left - 1);
    else added.push({ ...line, kind: 'added' });
  }
  const removed: Change[] = [];
  for (const line of linesOf(was)) {
    const left = counts.get(nameOf(line)) ?? 0;
    if (left === 0) continue;
    counts.set(nameOf(line), left - 1);
    removed.push({ ...line, kind: 'removed' });
  }
  return [...removed, ...added];
}
