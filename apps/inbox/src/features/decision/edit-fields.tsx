import { type ReactNode, useState } from 'react';
import { choicesIn, emptyOf, type Properties } from '../../parts/tool-schema.ts';
import { Button } from '../../ui/button.tsx';
import { unseenIn } from '../../ui/visible.ts';
import { Visible } from '../../ui/visible-text.tsx';
import { decision as decisionWords, answering as words } from '../../words/decision.ts';
import { type JsonObject, kindOf, readField } from './edit.ts';

type Props = {
  readonly value: JsonObject;
  /** What the tool's own schema says of each argument; empty where it is not known. */
  readonly properties: Properties;
  readonly onChange: (value: JsonObject) => void;
};

/** The arguments field by field, and those that the tool knows and the call does not name. */
export const Fields = ({ value, properties, onChange }: Props) => {
  const absent = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  return (
    <div className="space-y-3">
      {Object.entries(value).map(([name, current], place) => (
        <EditField
          key={name}
          name={name}
          value={current}
          choices={choicesIn(properties[name])}
          isFirst={place === 0}
          onChange={(next) => onChange({ ...value, [name]: next })}
          onRemove={() => onChange(Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)))}
        />
      ))}
      {absent.length > 0 && (
        <p className="flex flex-wrap items-center gap-1 text-sm text-quiet">
          {words.addField}
          {absent.map((name) => (
            <Button key={name} look="quiet" onClick={() => onChange({ ...value, [name]: emptyOf(properties[name]) })}>
              <span className="font-mono">
                + <Visible text={name} />
              </span>
            </Button>
          ))}
        </p>
      )}
    </div>
  );
};

type FieldProps = {
  readonly name: string;
  readonly value: unknown;
  readonly choices: readonly string[] | null;
  readonly isFirst: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onRemove: () => void;
};

/** One top-level argument. What is being typed need not be valid yet; only what is goes further. */
function EditField({ name, value, choices, isFirst, onChange, onRemove }: FieldProps) {
  const kind = kindOf(value);
  const [typed, setTyped] = useState(() => (kind === 'text' ? String(value) : JSON.stringify(value, null, 2)));
  const unseen = kind === 'text' ? unseenIn(typed) : [];
  const type = (next: string): void => {
    setTyped(next);
    const read = readField(kind, next);
    if (read !== undefined) onChange(read);
  };
  const first = { 'data-edit-first': isFirst || undefined };
  return (
    <div className="flex items-start gap-2">
      <Labelled name={name}>
        {kind === 'yes or no' ? (
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
            {...first}
          />
        ) : choices !== null && kind === 'text' ? (
          <select className="field font-mono text-sm" value={typed} onChange={(event) => type(event.target.value)} {...first}>
            {[...new Set([...choices, String(value)])].map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        ) : (
          <textarea
            className="field font-mono text-sm"
            rows={Math.min(8, typed.split('\n').length)}
            spellCheck={false}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            aria-invalid={readField(kind, typed) === undefined}
            value={typed}
            onChange={(event) => type(event.target.value)}
            {...first}
          />
        )}
        {unseen.length > 0 && (
          <span className="mt-1 block text-sm text-amber">
            ⚠ {decisionWords.unseen(unseen.join(', '))}{' '}
            <Button look="quiet" onClick={() => type(typed.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''))}>
              {words.removeUnseen}
            </Button>
          </span>
        )}
      </Labelled>
      <Button look="quiet" className="mt-6" aria-label={words.removeField(name)} onClick={onRemove}>
        ×
      </Button>
    </div>
  );
}

const Labelled = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
  <label className="block min-w-0 flex-1">
    <span className="mb-1 block font-mono text-sm">
      <Visible text={name} />
    </span>
    {children}
  </label>
);
