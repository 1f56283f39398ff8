import type { ClientEvent } from '@countersign/client';
import type { QueryClient } from '@tanstack/react-query';
import { client } from './client.ts';
import { readRows } from './decisions.ts';
import { type DecisionFilters, keys } from './keys.ts';
import { belongs, holds, type RowPages, withoutRows, withRow } from './list-cache.ts';
import { toRow } from './rows.ts';

/** Up to here changed decisions are read one by one; beyond, the head of the list comes at once. */
const ONE_BY_ONE = 8;
const HEAD = 200;

type List = { readonly filters: DecisionFilters; readonly pages: RowPages };

const listsIn = (queryClient: QueryClient): readonly List[] =>
  queryClient
    .getQueryCache()
    .findAll({ queryKey: keys.decisionLists })
    .flatMap(({ queryKey, state }) => {
      const filters = queryKey[2];
      return typeof filters === 'object' && state.data !== undefined
        ? [{ filters: filters as DecisionFilters, pages: state.data as RowPages }]
        : [];
    });

const patch = (queryClient: QueryClient, filters: DecisionFilters, change: (pages: RowPages) => RowPages): void =>
  void queryClient.setQueryData<RowPages>(keys.decisionList(filters), (pages) => pages && change(pages));

/** Brings what the events name up to date: rows leave and enter the lists that are shown, and everything else is marked as old. */
export async function applyEvents(queryClient: QueryClient, events: readonly ClientEvent[]): Promise<void> {
  if (events.some((event) => event.type === 'resync')) {
    await queryClient.invalidateQueries();
    return;
  }
  const types = new Set(events.map((event) => event.type));
  const states = new Map(events.filter((event) => event.type === 'decision').map((event) => [event.id, event.state]));
  const calls = new Set(events.filter((event) => event.type === 'call').map((event) => event.id));
  await Promise.all([
    applyToLists(queryClient, states),
    queryClient.invalidateQueries({ queryKey: keys.auditTails }),
    ...(states.size > 0 ? [keys.decisionCounts, keys.allStats].map((queryKey) => queryClient.invalidateQueries({ queryKey })) : []),
    ...[...states.keys()].map((id) => markDecision(queryClient, id)),
    ...decisionsOfCalls(queryClient, calls).map((id) => markDecision(queryClient, id)),
    ...OTHERS.filter(([type]) => types.has(type)).flatMap(([, queryKeys]) =>
      queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    ),
  ]);
}

const OTHERS: readonly (readonly [ClientEvent['type'], readonly (readonly string[])[]])[] = [
  ['agent', [keys.agents]],
  ['mandate', [keys.mandate]],
  ['host', [keys.me, keys.host]],
  ['rules', [keys.rules]],
  ['tool', [keys.rules]],
];

async function markDecision(queryClient: QueryClient, id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.decision(id) }),
    queryClient.invalidateQueries({ queryKey: keys.timeline(id) }),
  ]);
}

function decisionsOfCalls(queryClient: QueryClient, calls: ReadonlySet<string>): readonly string[] {
  if (calls.size === 0) return [];
  return queryClient
    .getQueryCache()
    .findAll({ queryKey: keys.decision('').slice(0, 2) })
    .flatMap(({ queryKey, state }) => {
      const call = (state.data as { call?: { id: string } | null } | undefined)?.call?.id;
      return call !== undefined && calls.has(call) ? [String(queryKey[2])] : [];
    });
}

async function applyToLists(queryClient: QueryClient, states: ReadonlyMap<string, string | undefined>): Promise<void> {
  if (states.size === 0) return;
  const lists = listsIn(queryClient);
  const wanted = new Set<string>();
  for (const { filters, pages } of lists) {
    const leaving = new Set<string>();
    for (const [id, state] of states) {
      const stays = state === undefined || !filters.state || (filters.state as readonly string[]).includes(state);
      if (!stays) leaving.add(id);
      else if (!filters.q || holds(pages, id)) wanted.add(id);
    }
    if (leaving.size > 0) patch(queryClient, filters, (current) => withoutRows(current, leaving));
    if (filters.q && leaving.size < states.size) void queryClient.invalidateQueries({ queryKey: keys.decisionList(filters) });
  }
  if (wanted.size > ONE_BY_ONE) await Promise.all(lists.map(({ filters }) => readHead(queryClient, filters)));
  else await Promise.all([...wanted].map((id) => readOne(queryClient, lists, id)));
}

async function readOne(queryClient: QueryClient, lists: readonly List[], id: string): Promise<void> {
  const decision = await client.decisions.get(id);
  if (!decision.ok) return;
  queryClient.setQueryData(keys.decision(id), decision.value);
  const row = toRow(decision.value);
  for (const { filters } of lists) {
    patch(queryClient, filters, (pages) => {
      const verdict = belongs(row, filters);
      if (verdict === false) return withoutRows(pages, new Set([id]));
      return verdict === true || holds(pages, id) ? withRow(pages, row, filters.sort) : pages;
    });
  }
}

/** Many at once: the head of the list tells what is new, unless more came than it holds. */
async function readHead(queryClient: QueryClient, filters: DecisionFilters): Promise<void> {
  if (filters.q || filters.sort !== 'age') {
    await queryClient.invalidateQueries({ queryKey: keys.decisionList(filters) });
    return;
  }
  const head = await readRows(filters, { limit: HEAD });
  const pages = queryClient.getQueryData<RowPages>(keys.decisionList(filters));
  const meets = pages === undefined || head.nextCursor === null || head.items.some((row) => holds(pages, row.id));
  if (!meets) return void queryClient.resetQueries({ queryKey: keys.decisionList(filters) });
  patch(queryClient, filters, (current) => head.items.reduce((all, row) => withRow(all, row, filters.sort), current));
}
