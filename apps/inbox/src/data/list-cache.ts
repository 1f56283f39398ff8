/** What an event does to the lists that are in the cache, as plain functions over their pages. */

import type { DecisionRow } from '@countersign/contracts';
import type { InfiniteData } from '@tanstack/react-query';
import type { DecisionFilters } from './keys.ts';

export type RowPage = { readonly items: readonly DecisionRow[]; readonly nextCursor: string | null };
export type RowPages = InfiniteData<RowPage, string | undefined>;

/** Whether a decision belongs in a list. Null: only the server knows, since it searches texts that a row does not hold. */
export function belongs(row: DecisionRow, filters: DecisionFilters): boolean | null {
  if (filters.state && !filters.state.includes(row.state)) return false;
  if (filters.kind && !filters.kind.includes(row.kind)) return false;
  if (filters.agent && filters.agent !== row.agent) return false;
  if (filters.tool && filters.tool !== row.tool) return false;
  if (filters.rule && !row.rules.includes(filters.rule)) return false;
  if (filters.since && row.createdAt < filters.since) return false;
  if (filters.until && row.createdAt >= filters.until) return false;
  return filters.q ? null : true;
}

const withItems = (pages: RowPages, change: (items: readonly DecisionRow[]) => readonly DecisionRow[]): RowPages => ({
  ...pages,
  pages: pages.pages.map((page) => {
    const items = change(page.items);
    return items === page.items ? page : { ...page, items };
  }),
});

export const holds = (pages: RowPages, id: string): boolean => pages.pages.some((page) => page.items.some((row) => row.id === id));

/** Without these rows; the cursors stay good, since they name places and not rows. */
export function withoutRows(pages: RowPages, ids: ReadonlySet<string>): RowPages {
  return withItems(pages, (items) => (items.some((row) => ids.has(row.id)) ? items.filter((row) => !ids.has(row.id)) : items));
}

/** Newest first, or the soonest deadline first: the server's order. Ids sort by the time they were made. */
export function comesBefore(a: DecisionRow, b: DecisionRow, sort: DecisionFilters['sort']): boolean {
  if (sort === 'age') return a.id > b.id;
  return a.expiresAt < b.expiresAt || (a.expiresAt === b.expiresAt && a.id < b.id);
}

/** With a row at its place. One that would stand behind the last loaded row is left for the page that will bring it. */
export function withRow(pages: RowPages, row: DecisionRow, sort: DecisionFilters['sort']): RowPages {
  const others = withoutRows(pages, new Set([row.id]));
  const target = others.pages.findIndex((page) => {
    const last = page.items.at(-1);
    return page.nextCursor === null || (last !== undefined && comesBefore(row, last, sort));
  });
  if (target === -1) return others;
  return {
    ...others,
    pages: others.pages.map((page, index) => {
      if (index !== target) return page;
      const place = page.items.findIndex((other) => comesBefore(row, other, sort));
      return { ...page, items: place === -1 ? [...page.items, row] : page.items.toSpliced(place, 0, row) };
    }),
  };
}
