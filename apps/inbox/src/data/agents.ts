import type { Agent, Credential } from '@countersign/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { keys } from './keys.ts';

const PAGE = 200;

/** Every page of a list that is short by nature. */
async function readAll<Item>(
  read: (paging: { limit: number; cursor?: string }) => Promise<{ items: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

export const agentList = queryOptions<Agent[]>({
  queryKey: keys.agents,
  queryFn: ({ signal }) => readAll((paging) => unwrap(client.agents.list(paging, { signal }))),
});

export const credentialList = (agent: string) =>
  queryOptions<Credential[]>({
    queryKey: keys.credentials(agent),
    queryFn: ({ signal }) => readAll((paging) => unwrap(client.agents.credentials(agent, paging, { signal }))),
  });
