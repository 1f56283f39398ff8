import type { AuditEvent } from '@countersign/contracts';
import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { type AuditFilters, keys } from './keys.ts';

export type AuditPages = InfiniteData<{ readonly items: readonly AuditEvent[]; readonly nextCursor: string | null }, string | undefined>;

const PAGE = 100;
/** Events that come at once when the tail is read. */
const TAIL = 200;

/** The log, newest first. */
export const auditLog = (filters: AuditFilters) =>
  infiniteQueryOptions<AuditPages['pages'][number], Error, AuditPages, ReturnType<typeof keys.audit>, string | undefined>({
    queryKey: keys.audit(filters),
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        client.audit.query({ ...filters, order: 'newest', limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
      ),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Events are only ever added: the tail brings what is new.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** Puts what was recorded since the newest known event before it. Nothing is left out: it is read from there, not from the end. */
async function readTail(queryClient: QueryClient, filters: AuditFilters, signal: AbortSignal): Promise<null> {
  const queryKey = keys.audit(filters);
  const newest = queryClient.getQueryData<AuditPages>(queryKey)?.pages.find((page) => page.items.length > 0)?.items[0];
  const since = { order: 'oldest', limit: TAIL, ...(newest && { cursor: newest.cursor }) } as const;
  const { items } = await unwrap(client.audit.query({ ...filters, ...since }, { signal }));
  if (items.length === 0) return null;
  queryClient.setQueryData<AuditPages>(queryKey, (pages) => {
    const [first, ...others] = pages?.pages ?? [];
    if (pages === undefined || first === undefined) return pages;
    const known = new Set(first.items.map((event) => event.id));
    const added = items.filter((event) => !known.has(event.id)).reverse();
    return { ...pages, pages: [{ ...first, items: [...added, ...first.items] }, ...others] };
  });
  return null;
}

/** Not everything that is recorded is announced, so the tail is also looked at by itself. */
const LOOK_MS = 2000;

export const auditTail = (queryClient: QueryClient, filters: AuditFilters) =>
  queryOptions<null>({
    queryKey: keys.auditTail(filters),
    queryFn: ({ signal }) => readTail(queryClient, filters, signal),
    refetchInterval: LOOK_MS,
    staleTime: 0,
    gcTime: 0,
  });

/** One event by its position in the log; null where there is none that the reader may see. */
export const oneEvent = (cursor: string) =>
  queryOptions<AuditEvent | null>({
    queryKey: keys.auditEvent(cursor),
    queryFn: async ({ signal }) => {
      const after = String(Number(cursor) + 1);
      const page = await unwrap(client.audit.query({ order: 'newest', limit: 1, cursor: after }, { signal }));
      return page.items.find((event) => event.cursor === cursor) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
