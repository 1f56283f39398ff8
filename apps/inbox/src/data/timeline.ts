import type { AuditEvent, Decision } from '@countersign/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { keys } from './keys.ts';

/** What happened to a decision and its call, in order of arrival. Empty where the reader may not see the log of the agent's principal. */
export const timelineOf = (decision: Decision) =>
  queryOptions<AuditEvent[]>({
    // A call that went on has new events, whether or not one of them was announced.
    queryKey: [...keys.timeline(decision.id), decision.version, decision.call?.state ?? null],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const read = (fields: { decision: string } | { call: string }) =>
        unwrap(client.audit.query({ ...fields, order: 'oldest', limit: 200 }, { signal }));
      const pages = await Promise.all([read({ decision: decision.id }), ...(decision.call ? [read({ call: decision.call.id })] : [])]);
      const events = new Map(pages.flatMap((page) => page.items.map((event) => [event.id, event])));
      // A call may have had other decisions; their events are theirs.
      return [...events.values()]
        .filter((event) => event.decision === null || event.decision === decision.id)
        .sort((a, b) => Number(a.cursor) - Number(b.cursor));
    },
  });
