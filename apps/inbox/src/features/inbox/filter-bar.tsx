import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { agentList } from '../../data/agents.ts';
import { ruleTable } from '../../data/rules.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { common } from '../../words/common.ts';
import { inbox } from '../../words/inbox.ts';
import { FILTER_NAMES, KIND_CHOICES, STATE_CHOICES, withFilter } from './filters.ts';

const SEARCH_AFTER_MS = 250;

type Choice = { readonly value: string; readonly label: string };

const Choose = ({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}) => (
  <Field label={label}>
    <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  </Field>
);

const choicesOf = (names: readonly string[] | undefined, chosen: string): readonly Choice[] => [
  { value: '', label: inbox.any },
  ...[...new Set([...(names ?? []), ...(chosen === '' ? [] : [chosen])])].map((name) => ({ value: name, label: name })),
];

/** The filters that are asked for rarely; their choices are read when they are opened. */
function MoreFilters() {
  const [search, setSearch] = useSearchParams();
  const agents = useQuery(agentList);
  const rules = useQuery(ruleTable);
  const set = (name: string) => (value: string) => setSearch(withFilter(search, name, value));
  const at = (name: string): string => search.get(name) ?? '';
  return (
    <div className="grid grid-cols-2 gap-3 pt-3">
      <Choose
        label={inbox.state}
        value={at('state') || 'pending'}
        choices={STATE_CHOICES.map((value) => ({
          value,
          label:
            value in inbox.states ? inbox.states[value as keyof typeof inbox.states] : common.state[value as keyof typeof common.state],
        }))}
        onChange={(value) => set('state')(value === 'pending' ? '' : value)}
      />
      <Choose
        label={inbox.sort}
        value={at('sort') || 'age'}
        choices={Object.entries(inbox.sorts).map(([value, label]) => ({ value, label }))}
        onChange={(value) => set('sort')(value === 'age' ? '' : value)}
      />
      <Choose
        label={inbox.agent}
        value={at('agent')}
        choices={choicesOf(
          agents.data?.map((agent) => agent.name),
          at('agent'),
        )}
        onChange={set('agent')}
      />
      <Choose
        label={inbox.tool}
        value={at('tool')}
        choices={choicesOf(
          rules.data?.tools.map((tool) => tool.tool),
          at('tool'),
        )}
        onChange={set('tool')}
      />
      <Choose
        label={inbox.rule}
        value={at('rule')}
        choices={choicesOf(
          rules.data?.rules.map((rule) => rule.id),
          at('rule'),
        )}
        onChange={set('rule')}
      />
      <Choose
        label={inbox.kind}
        value={at('kind')}
        choices={[{ value: '', label: inbox.any }, ...KIND_CHOICES.map((value) => ({ value, label: common.kind[value] }))]}
        onChange={set('kind')}
      />
    </div>
  );
}

/** Search and filters; all of them live in the address. */
export function FilterBar({ searchBox }: { readonly searchBox: RefObject<HTMLInputElement | null> }) {
  const [search, setSearch] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  const q = search.get('q') ?? '';
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => setSearch((current) => withFilter(current, 'q', typed.trim()), { replace: true }), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed, q, setSearch]);
  const active = FILTER_NAMES.filter((name) => search.has(name));
  return (
    <search className="block border-b border-line px-3 py-2.5">
      <div className="flex gap-2">
        <input
          ref={searchBox}
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          placeholder={inbox.search}
          aria-label={inbox.search}
          className="field min-w-0 flex-1"
        />
        <Button aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
          {active.length === 0 ? inbox.filters : inbox.filtersOn(active.length)}
        </Button>
      </div>
      {active.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 pt-2 text-sm">
          {active.map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              title={`${inbox.clearFilters}: ${inbox[name]}`}
              onClick={() => setSearch(withFilter(search, name, null))}
            >
              <span className="font-sans text-quiet">{inbox[name]}</span> {search.get(name)} <span aria-hidden>×</span>
            </button>
          ))}
        </p>
      )}
      <div id={panel}>{isOpen && <MoreFilters />}</div>
    </search>
  );
}
