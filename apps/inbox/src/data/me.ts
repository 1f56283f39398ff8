import type { Me } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
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
