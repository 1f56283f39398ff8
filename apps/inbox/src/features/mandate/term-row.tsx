import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { useNow } from '../../ui/now.ts';
import { Visible } from '../../ui/visible-text.tsx';
import { mandate as words } from '../../words/mandate.ts';
import type { DraftTerm } from './mandate-draft.ts';

type Props = {
  readonly term: DraftTerm;
  /** From 1. */
  readonly place: number;
  readonly used: number | undefined;
  readonly problemOf: (field: string) => string | undefined;
  readonly hasProblem: boolean;
  readonly isOpen: boolean;
  readonly toolNames: string;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: (term: DraftTerm) => void;
  readonly onRemove: () => void;
};

/** One term: to be read, or, when it is opened or something in it is wrong, to be written. */
export function TermRow(props: Props) {
  const { term, place, hasProblem, isOpen, onOpen, onRemove } = props;
  return (
    <li className={`border-b border-line py-3 ${hasProblem ? 'border-l-4 border-l-red pl-3' : ''}`} data-term={place}>
      <div className="flex items-start gap-3">
        <span className="w-6 shrink-0 text-right text-quiet">{place}</span>
        <div className="min-w-0 flex-1">{isOpen || hasProblem ? <Fields {...props} /> : <Reading {...props} />}</div>
        <span className="flex shrink-0 gap-1 max-sm:flex-col">
          <Button
            look="quiet"
            aria-expanded={isOpen || hasProblem}
            aria-label={isOpen ? undefined : words.editName(place, term.tool)}
            onClick={() => onOpen(!isOpen)}
          >
            {isOpen ? words.done : words.edit}
          </Button>
          <Button look="quiet" aria-label={words.removeName(place, term.tool)} onClick={onRemove}>
            {words.remove}
          </Button>
        </span>
      </div>
    </li>
  );
}

const MINUTE = 60_000;

function Reading({ term, used }: Props) {
  const now = useNow(MINUTE);
  const isOver = term.until !== '' && Date.parse(term.until) <= now;
  return (
    <>
      <p>
        <code className="font-mono text-sm font-medium [overflow-wrap:anywhere]">{term.tool || words.newTerm}</code>{' '}
        <span className={isOver ? 'text-quiet' : ''}>
          <Visible text={term.when} />
        </span>
      </p>
      {term.match !== '' && (
        <p className="font-mono text-sm text-quiet [overflow-wrap:anywhere]">
          <Visible text={term.match} />
        </p>
      )}
      {(term.until !== '' || term.uses !== '') && (
        <p className={`text-sm ${isOver ? 'text-amber' : 'text-quiet'}`}>
          {[
            ...(term.until === ''
              ? []
              : [
                  (isOver ? words.over : words.until)(
                    new Date(term.until).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
                  ),
                ]),
            ...(term.uses === '' ? [] : [words.used(used ?? 0, Number(term.uses))]),
          ].join(' · ')}
        </p>
      )}
    </>
  );
}

function Fields({ term, problemOf, toolNames, onChange }: Props) {
  const [isFresh] = useState(term.tool === '' && term.when === '');
  const set = (name: keyof DraftTerm) => (event: { readonly target: { readonly value: string } }) =>
    onChange({ ...term, [name]: event.target.value });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={words.tool} hint={words.toolHint} error={problemOf('tool')}>
        <input
          className="field font-mono text-sm"
          list={toolNames}
          // biome-ignore lint/a11y/noAutofocus: the person just asked for a new term
          autoFocus={isFresh}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={120}
          aria-invalid={problemOf('tool') !== undefined}
          value={term.tool}
          onChange={set('tool')}
        />
      </Field>
      <Field label={words.when} hint={words.whenHint} error={problemOf('when')}>
        <input className="field" maxLength={500} aria-invalid={problemOf('when') !== undefined} value={term.when} onChange={set('when')} />
      </Field>
      <Field label={words.match} hint={words.matchHint} error={problemOf('match')} className="sm:col-span-2">
        <textarea
          className="field font-mono text-sm"
          rows={Math.min(6, term.match.split('\n').length + 1)}
          maxLength={4096}
          spellCheck={false}
          autoCapitalize="off"
          aria-invalid={problemOf('match') !== undefined}
          value={term.match}
          onChange={set('match')}
        />
      </Field>
      <Field label={words.expires} hint={words.expiresHint} error={problemOf('expires_at')}>
        <input className="field" type="datetime-local" value={term.until} onChange={set('until')} />
      </Field>
      <Field label={words.uses} hint={words.usesHint} error={problemOf('uses')}>
        <input className="field" type="number" min={1} step={1} value={term.uses} onChange={set('uses')} />
      </Field>
    </div>
  );
}
