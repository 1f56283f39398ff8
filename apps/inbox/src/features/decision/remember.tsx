import type { AnswerInput, Term } from '@countersign/contracts';
import { Visible } from '../../ui/visible-text.tsx';
import { remembering as words } from '../../words/decision.ts';

export type Wish = NonNullable<AnswerInput['remember']>;

const DAYS = [1, 7, 30, 90, 365];
const USES = [1, 5, 20];
const DEFAULT: Wish = { ttl_days: 30 };

type Props = { readonly term: Term; readonly wish: Wish | null; readonly onChange: (wish: Wish | null) => void };

/** The same call without a question from now on: the term that would be added, and for how long. Never more than this very call. */
export function Remember({ term, wish, onChange }: Props) {
  return (
    <fieldset className="mt-2 text-sm" aria-label={words.title}>
      <label className="inline-flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-(--accent)"
          checked={wish !== null}
          onChange={(event) => onChange(event.target.checked ? DEFAULT : null)}
        />
        {words.title}
      </label>
      {wish !== null && (
        <div className="mt-1 space-y-2 border-l-2 border-line pl-3">
          <p className="text-quiet">{words.help}</p>
          <p className="font-mono [overflow-wrap:anywhere]">
            {term.tool}
            {term.match !== undefined && (
              <>
                <br />
                <Visible text={term.match} />
              </>
            )}
          </p>
          <p className="flex flex-wrap items-center gap-2">
            <label>
              {words.days}{' '}
              <select
                className="field inline-block w-auto"
                value={wish.ttl_days}
                onChange={(event) => onChange({ ...wish, ttl_days: Number(event.target.value) })}
              >
                {DAYS.map((days) => (
                  <option key={days} value={days}>
                    {words.dayCount(days)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {words.uses}{' '}
              <select
                className="field inline-block w-auto"
                value={wish.uses ?? ''}
                onChange={(event) => {
                  const { uses: _, ...rest } = wish;
                  onChange(event.target.value === '' ? rest : { ...rest, uses: Number(event.target.value) });
                }}
              >
                <option value="">{words.anyUses}</option>
                {USES.map((uses) => (
                  <option key={uses} value={uses}>
                    {words.timesCount(uses)}
                  </option>
                ))}
              </select>
            </label>
          </p>
        </div>
      )}
    </fieldset>
  );
}
