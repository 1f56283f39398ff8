import type { HostState, Me } from '@countersign/contracts';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, isLoggedOut, unwrap } from './client.ts';
import { keys } from './keys.ts';

/** Who is logged in in this browser; null where nobody is. */
export const useMe = () =>
  useQuery<Me | null>({
    queryKey: keys.me,
    queryFn: async ({ signal }) => {
      try {
        return await unwrap(client.me({ signal }));
      } catch (error) {
        if (isLoggedOut(error)) return null;
        throw error;
      }
    },
    // Somebody who logs in by a link does so in another tab of this browser, and then comes back to this one.
    refetchInterval: ({ state }) => (state.data === null ? 2000 : false),
    refetchOnWindowFocus: 'always',
  });

/** Shows at once that the host was frozen or thawed, then reads again what that changed. */
export function takeHostState(queryClient: QueryClient, host: HostState): void {
  queryClient.setQueryData(keys.host, host);
  queryClient.setQueryData<Me | null>(keys.me, (me) => me && { ...me, frozen: host.frozen });
  void queryClient.invalidateQueries();
}

export const hostState = queryOptions<HostState>({ queryKey: keys.host, queryFn: ({ signal }) => unwrap(client.host.get({ signal })) });

/** Since when the host is frozen, in milliseconds since 1970; null while it runs. Deadlines stand still meanwhile. */
export function useFrozenAt(): number | null {
  const isFrozen = useQueryClient().getQueryData<Me | null>(keys.me)?.frozen ?? false;
  const host = useQuery({ ...hostState, enabled: isFrozen });
  return isFrozen && host.data?.frozenAt ? Date.parse(host.data.frozenAt) : null;
}
