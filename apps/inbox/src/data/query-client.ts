import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isLoggedOut } from './client.ts';
import { keys } from './keys.ts';

/** One cache of what the server said. Nothing is kept beside it: events mark what is old, and it is read again. */
export function createQueryClient(): QueryClient {
  // A session that ended anywhere ends here: `me` is asked again, and the page shows how to log in over what was being done.
  const onError = (error: unknown): void => {
    if (isLoggedOut(error)) void queryClient.invalidateQueries({ queryKey: keys.me });
  };
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The client repeats what is worth repeating. `always`: loopback answers without a network too.
      queries: { retry: false, networkMode: 'always', staleTime: 30_000, refetchOnWindowFocus: true },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queryClient;
}
