import type { Mandate, Scope } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { failureOf } from '../../data/client.ts';
import { termsOf } from '../../data/mandate.ts';
import { ruleTable } from '../../data/rules.ts';
import { AGENT_SCOPES } from '../../parts/scopes.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { agents } from '../../words/agents.ts';
import { mandate as words } from '../../words/mandate.ts';
import { emptyTerm, type MandateDraft, sameTerms, termsOfDraft, useMandateDraft } from './mandate-draft.ts';
import { hasProblem, ofTerm, type Problems } from './mandate-problems.ts';
import { Review } from './review.tsx';
import { TermRow } from './term-row.tsx';
import { useReview } from './use-review.ts';

/** A mandate to be read and changed; nothing is in force before it was reviewed. */
export function MandateEditor({ mandate }: { readonly mandate: Mandate }) {
  const { draft, change, discard } = useMandateDraft(mandate);
  const [saved, setSaved] = useState<Mandate | null>(null);
  const { reviewed, problems, isStale, look, save, close, forgive } = useReview(mandate, (now) => {
    discard();
    setSaved(now);
    announce(words.saved(now.version));
  });
  const was = termsOf(mandate);
  const now = termsOfDraft(draft, was);
  const isChanged = !sameTerms(was, now);
  useFirstProblem(problems);
  return (
    <>
      {isStale && (
        <div className="mb-4">
          <Notice tone="amber" title={words.stale(mandate.version, mandate.madeBy ?? '')} urgent>
            {words.staleKept}
          </Notice>
        </div>
      )}
      {!isChanged && <Warnings warnings={mandate.warnings ?? []} />}
      <Scopes scopes={draft.scopes} onChange={(scopes) => change({ ...draft, scopes })} />
      <Budget draft={draft} onChange={change} problem={problems.get('budget.usd')} />
      <Terms
        draft={draft}
        used={isChanged ? undefined : mandate.used}
        problems={problems}
        onChange={(next) => {
          // Problems are known by place, and the places just moved.
          if (next.terms.length !== draft.terms.length) forgive();
          change(next);
        }}
      />
      <div className="sticky bottom-0 -mx-4 mt-6 border-t border-line bg-paper px-4 py-3">
        {problems.size > 0 && (
          <p role="alert" className="mb-2 text-red">
            ✕ {words.invalid} <Visible text={elsewhere(problems)} />
          </p>
        )}
        {look.isError && (
          <p role="alert" className="mb-2 text-amber">
            {failureOf(look.error).message}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button look="strong" size="large" disabled={!isChanged || look.isPending} onClick={() => look.mutate(now)}>
            {words.review}
          </Button>
          {isChanged && <Button onClick={discard}>{words.reset}</Button>}
          <span className="text-sm text-quiet" role="status">
            {isChanged ? words.draftKept : saved?.version === mandate.version ? `✓ ${words.saved(saved.version)}` : words.noChanges}
          </span>
        </div>
      </div>
      {reviewed !== null && (
        <Review
          was={termsOf(reviewed.base)}
          now={reviewed.terms}
          foresight={reviewed.foresight}
          isSaving={save.isPending}
          problem={save.isError ? failureOf(save.error).message : null}
          onClose={close}
          onSave={() => save.mutate(reviewed)}
        />
      )}
    </>
  );
}

/** Problems that belong to no field of the page. */
const elsewhere = (problems: Problems): string =>
  [...problems].flatMap(([place, message]) => (place.startsWith('terms.') || place === 'budget.usd' ? [] : [message])).join(' ');

function useFirstProblem(problems: Problems): void {
  useEffect(() => {
    if (problems.size > 0) document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problems]);
}

const Warnings = ({ warnings }: { readonly warnings: readonly string[] }) =>
  warnings.length === 0 ? null : (
    <Notice tone="amber" title={words.warnings}>
      <ul className="list-disc pl-5">
        {warnings.map((warning) => (
          <li key={warning}>
            <Visible text={warning} />
          </li>
        ))}
      </ul>
    </Notice>
  );

const Scopes = ({ scopes, onChange }: { readonly scopes: readonly Scope[]; readonly onChange: (scopes: Scope[]) => void }) => (
  <Section title={words.scopes} level={2}>
    <div className="grid gap-x-6 sm:grid-cols-2">
      {AGENT_SCOPES.map((scope) => (
        <label key={scope} className="flex min-h-8 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-(--accent)"
            checked={scopes.includes(scope)}
            onChange={(event) =>
              onChange(
                event.target.checked
                  ? AGENT_SCOPES.filter((each) => each === scope || scopes.includes(each))
                  : scopes.filter((each) => each !== scope),
              )
            }
          />
          {agents.scope[scope]} <code className="font-mono text-sm text-quiet max-sm:hidden">{scope}</code>
        </label>
      ))}
    </div>
  </Section>
);

type BudgetProps = { readonly draft: MandateDraft; readonly onChange: (draft: MandateDraft) => void; readonly problem: string | undefined };
const DEFAULT_USD = '5';

const Budget = ({ draft, onChange, problem }: BudgetProps) => (
  <Section title={words.budget} level={2}>
    <label className="flex min-h-8 items-center gap-2">
      <input
        type="checkbox"
        className="size-4 accent-(--accent)"
        checked={draft.usd !== ''}
        onChange={(event) => onChange({ ...draft, usd: event.target.checked ? DEFAULT_USD : '' })}
      />
      {words.hasBudget}
    </label>
    {draft.usd !== '' && (
      <div className="mt-1 flex flex-wrap items-start gap-3">
        <Field label={words.usd} error={problem}>
          <input
            className="field w-32"
            type="number"
            min={0}
            step="any"
            aria-invalid={problem !== undefined}
            value={draft.usd}
            onChange={(event) => onChange({ ...draft, usd: event.target.value === '' ? '0' : event.target.value })}
          />
        </Field>
        <Field label={words.per}>
          <select
            className="field w-32"
            value={draft.per}
            onChange={(event) => onChange({ ...draft, per: PERIODS.find((per) => per === event.target.value) ?? 'day' })}
          >
            {PERIODS.map((per) => (
              <option key={per} value={per}>
                {words.periods[per]}
              </option>
            ))}
          </select>
        </Field>
      </div>
    )}
  </Section>
);
const PERIODS = ['day', 'week', 'month'] as const;

type TermsProps = {
  readonly draft: MandateDraft;
  /** How often each was used; unknown while places may have moved. */
  readonly used: readonly number[] | undefined;
  readonly problems: Problems;
  readonly onChange: (draft: MandateDraft) => void;
};

function Terms({ draft, used, problems, onChange }: TermsProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const table = useQuery(ruleTable);
  const names = useId();
  const set = (terms: MandateDraft['terms']): void => onChange({ ...draft, terms });
  const show = (key: string, isOpen: boolean): void => {
    const next = new Set(open);
    if (isOpen) next.add(key);
    else next.delete(key);
    setOpen(next);
  };
  const add = (): void => {
    const term = emptyTerm();
    show(term.key, true);
    set([...draft.terms, term]);
  };
  return (
    <Section title={words.terms(draft.terms.length)} level={2} aside={<Button onClick={add}>{words.add}</Button>}>
      {draft.terms.length === 0 && <p className="text-quiet">{words.noTerms}</p>}
      <datalist id={names}>
        {table.data?.tools.map((row) => (
          <option key={row.tool} value={row.tool} />
        ))}
      </datalist>
      <ol>
        {draft.terms.map((term, index) => (
          <TermRow
            key={term.key}
            term={term}
            place={index + 1}
            used={used?.[index]}
            problemOf={ofTerm(problems, index)}
            hasProblem={hasProblem(problems, index)}
            isOpen={open.has(term.key)}
            toolNames={names}
            onOpen={(isOpen) => show(term.key, isOpen)}
            onChange={(next) => set(draft.terms.map((each) => (each.key === term.key ? next : each)))}
            onRemove={() => set(draft.terms.filter((each) => each.key !== term.key))}
          />
        ))}
      </ol>
    </Section>
  );
}
