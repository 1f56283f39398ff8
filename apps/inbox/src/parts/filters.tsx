import { useSearchParams } from 'wouter';
import { Field } from '../ui/field.tsx';
import { common } from '../words/common.ts';

export type Choice = { readonly value: string; readonly label: string };
export type ChoiceGroup = { readonly label: string; readonly choices: readonly Choice[] };

type Props = {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (Choice | ChoiceGroup)[];
  readonly onChange: (value: string) => void;
};

const Option = ({ value, label }: Choice) => <option value={value}>{label}</option>;

/** One filter with a few values to choose from. */
export const Choose = ({ label, value, choices, onChange }: Props) => (
  <Field label={label}>
    <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
      {choices.map((choice) =>
        'choices' in choice ? (
          <optgroup key={choice.label} label={choice.label}>
            {choice.choices.map((each) => (
              <Option key={each.value} {...each} />
            ))}
          </optgroup>
        ) : (
          <Option key={choice.value} {...choice} />
        ),
      )}
    </select>
  </Field>
);

/** Names to choose from, and "any". A name that stands in the address and is not among them is one more. */
export const choicesOf = (names: readonly string[] | undefined, chosen: string): readonly Choice[] => [
  { value: '', label: common.any },
  ...[...new Set([...(names ?? []), ...(chosen === '' ? [] : [chosen])])].map((name) => ({ value: name, label: name })),
];

/** The address with one filter changed; null takes it out. */
export function withFilter(search: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === null || value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

type FiltersOnProps = {
  readonly names: Readonly<Record<string, string>>;
  readonly say?: (name: string, value: string) => string;
};

/** The filters that are on, each to be taken out with one press. `names` gives each its label, in order; `say` spells a value. */
export function FiltersOn({ names, say }: FiltersOnProps) {
  const [search, setSearch] = useSearchParams();
  const active = Object.entries(names).filter(([name]) => search.has(name));
  if (active.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 pt-2 text-sm">
      {active.map(([name, label]) => (
        <button
          key={name}
          type="button"
          className="chip min-h-6"
          title={`${common.clear}: ${label}`}
          onClick={() => setSearch(withFilter(search, name, null))}
        >
          <span className="font-sans text-quiet">{label}</span> {say ? say(name, search.get(name) ?? '') : search.get(name)}{' '}
          <span aria-hidden>×</span>
        </button>
      ))}
    </p>
  );
}
