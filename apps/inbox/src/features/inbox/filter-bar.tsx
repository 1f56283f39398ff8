import { useQuery } from '@tanstack/react-query';
import { type RefObject, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { agentList } from '../../data/agents.ts';
import { ruleTable } from '../../data/rules.ts';
import { Choose, choicesOf, FiltersOn, withFilter } from '../../parts/filters.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Button } from '../../ui/button.tsx';
import { spellTime } from '../../ui/duration.ts';
import { common } from '../../words/common.ts';
import { inbox } from '../../words/inbox.ts';
import { AGE_CHOICES, FILTER_NAMES, KIND_CHOICES, STATE_CHOICES } from './filters.ts';

/** The filters that are asked for rarely; their choices are read when they are opened. */
function MoreFilters() {
  const [search, setSearch] = useSearchParams();
  const agents = useQuery(agentList);
  const rules = useQuery(ruleTable);
  const set = (name: string) => (value: string) => setSearch(withFilter(search, name, value));
  const at = (name: string): string => search.get(name) ?? '';
  const named = (name: 'agent' | 'tool' | 'rule', names: readonly string[] | undefined) => (
    <Choose label={inbox[name]} value={at(name)} choices={choicesOf(names, at(name))} onChange={set(name)} />
  );
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
      {named(
        'agent',
        agents.data?.map((agent) => agent.name),
      )}
      {named(
        'tool',
        rules.data?.tools.map((tool) => tool.tool),
      )}
      {named(
        'rule',
        rules.data?.rules.map((rule) => rule.id),
      )}
      <Choose
        label={inbox.age}
        value={at('age')}
        choices={[{ value: '', label: common.any }, ...AGE_CHOICES.map((value) => ({ value, label: inbox.ages[value] }))]}
        onChange={set('age')}
      />
      <Choose
        label={inbox.kind}
        value={at('kind')}
        choices={[{ value: '', label: common.any }, ...KIND_CHOICES.map((value) => ({ value, label: common.kind[value] }))]}
        onChange={set('kind')}
      />
    </div>
  );
}

const LABELS = Object.fromEntries(FILTER_NAMES.map((name) => [name, inbox[name]]));

/** How a value of the address reads. */
const say = (name: string, value: string): string => {
  if (name === 'age') return inbox.ages[AGE_CHOICES.find((age) => age === value) ?? '24h'];
  if (name === 'since' || name === 'until') return spellTime(value);
  return value;
};

/** Search and filters; all of them live in the address. */
export function FilterBar({ searchBox }: { readonly searchBox: RefObject<HTMLInputElement | null> }) {
  const [search] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  const active = FILTER_NAMES.filter((name) => search.has(name));
  return (
    <search className="block border-b border-line px-3 py-2.5">
      <div className="flex gap-2">
        <SearchBox label={inbox.search} box={searchBox} />
        <Button aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
          {active.length === 0 ? inbox.filters : inbox.filtersOn(active.length)}
        </Button>
      </div>
      <FiltersOn names={LABELS} say={say} />
      <div id={panel}>{isOpen && <MoreFilters />}</div>
    </search>
  );
}
