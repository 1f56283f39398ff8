import { useQuery } from '@tanstack/react-query';
import { type RefObject, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { agentList } from '../../data/agents.ts';
import { Choose, choicesOf, FiltersOn, withFilter } from '../../parts/filters.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Button } from '../../ui/button.tsx';
import { audit as words } from '../../words/audit.ts';
import { common } from '../../words/common.ts';
import { FILTER_NAMES, TYPE_CHOICES } from './filters.ts';

const LABELS = Object.fromEntries(FILTER_NAMES.map((name) => [name, words[name]]));

type Props = { readonly searchBox: RefObject<HTMLInputElement | null>; readonly isLive: boolean };

/** Search, filters and the switch of the live tail; all of them live in the address. */
export function AuditFilters({ searchBox, isLive }: Props) {
  const [search, setSearch] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  const active = FILTER_NAMES.filter((name) => search.has(name));
  return (
    <search className="block border-b border-line px-3 py-2.5">
      <div className="flex items-center gap-2">
        <SearchBox label={words.search} box={searchBox} />
        <Button aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
          {active.length === 0 ? words.filters : words.filtersOn(active.length)}
        </Button>
        <label className="flex min-h-8 items-center gap-1.5 text-sm" title={words.liveHelp}>
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={isLive}
            onChange={(event) => setSearch(withFilter(search, 'live', event.target.checked ? null : 'off'))}
          />
          {words.live}
        </label>
      </div>
      <FiltersOn names={LABELS} />
      <div id={panel}>{isOpen && <MoreFilters />}</div>
    </search>
  );
}

function MoreFilters() {
  const [search, setSearch] = useSearchParams();
  const agents = useQuery(agentList);
  const at = (name: string): string => search.get(name) ?? '';
  const set = (name: string) => (value: string) => setSearch(withFilter(search, name, value));
  return (
    <div className="grid grid-cols-2 gap-3 pt-3">
      <Choose label={words.type} value={at('type')} choices={TYPE_CHOICES} onChange={set('type')} />
      <Choose
        label={words.agent}
        value={at('agent')}
        choices={choicesOf(
          agents.data?.map((agent) => agent.name),
          at('agent'),
        )}
        onChange={set('agent')}
      />
      <Choose
        label={words.since}
        value={at('since')}
        choices={[{ value: '', label: common.any }, ...Object.entries(words.sinces).map(([value, label]) => ({ value, label }))]}
        onChange={set('since')}
      />
    </div>
  );
}
