import type { Decision, DecisionRowQuery } from '@countersign/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { type DecisionFilters, keys } from './keys.ts';
import type { RowPage, RowPages } from './list-cache.ts';

/** Rows that come with one request: a few screens full. */
const PAGE = 100;

export async function readRows(
  filters: DecisionFilters,
  paging: Pick<Partial<DecisionRowQuery>, 'limit' | 'cursor'>,
  signal?: AbortSignal,
): Promise<RowPage> {
  const { items, nextCursor } = await unwrap(client.decisions.rows({ ...filters, ...paging }, { signal }));
  return { items, nextCursor };
}

export const decisionList = (filters: DecisionFilters) =>
  infiniteQueryOptions<RowPage, Error, RowPages, ReturnType<typeof keys.decisionList>, string | undefined>({
    queryKey: keys.decisionList(filters),
    queryFn: ({ pageParam, signal }) => readRows(filters, { limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Events keep it true while it is shown; reading a hundred pages again because a window was focused would not.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** How many decisions there are of a kind, whether or not they were read. */
export const decisionCount = (filters: DecisionFilters) =>
  queryOptions<number>({
    queryKey: keys.decisionCount(filters),
    queryFn: async ({ signal }) => (await unwrap(client.decisions.rows({ ...filters, limit: 1 }, { signal }))).total,
  });

/** What the inbox shows when it is opened. */
export const PENDING: DecisionFilters = { sort: 'age', state: ['pending'] };

const ON_ITS_WAY_MS = 1000;

/** Approved, and its call has not come back yet. */
export const isOnItsWay = (decision: Decision): boolean =>
  decision.state === 'approved' && decision.call !== null && (decision.call.state === 'queued' || decision.call.state === 'executing');

export const oneDecision = (id: string) =>
  queryOptions<Decision>({
    queryKey: keys.decision(id),
    queryFn: ({ signal }) => unwrap(client.decisions.get(id, { signal })),
    // An event says when the call is done; one that was lost costs a second.
    refetchInterval: ({ state }) => (state.data !== undefined && isOnItsWay(state.data) ? ON_ITS_WAY_MS : false),
  });
