/**
 * Hands changes to the event streams of this process. Each change has a place in one sequence, and the last of them are kept, so that a client
 * that was away for a moment gets what it missed. Ids are `<start of process>-<n>`: an id of another process, or one too old, means `resync`.
 */
import type { ServerEvent } from '@countersign/contracts';
import type { ChangeNotice } from './ports.ts';

const KEPT = 2000;

export type HubEvent = { readonly id: string; readonly event: ServerEvent };
export type Listener = (event: HubEvent) => void;

export type EventHub = {
  publish(notice: ChangeNotice): void;
  /** Calls `listener` with what `principal` may hear and missed since `lastEventId`, then with everything new, until the returned function is called. */
  listen(principal: string, lastEventId: string | null, listener: Listener): () => void;
  listeners(principal?: string): number;
};

type Entry = { readonly n: number; readonly notice: ChangeNotice };

const isFor = ({ seenBy }: ChangeNotice, principal: string): boolean => seenBy.length === 0 || seenBy.includes(principal);

export const createEventHub = (processId: string): EventHub => {
  const kept: Entry[] = [];
  const listening = new Map<Listener, string>();
  let last = 0;

  const toEvent = ({ n, notice: { seenBy: _, ...event } }: Entry): HubEvent => ({ id: `${processId}-${n}`, event });
  /** The entries after `lastEventId`, or null when some of them are gone. */
  const missedSince = (lastEventId: string): readonly Entry[] | null => {
    const [, process, number] = /^(.*)-(\d{1,15})$/.exec(lastEventId) ?? [];
    const n = Number(number);
    if (process !== processId || n > last || n < last - kept.length) return null;
    return kept.slice(kept.length - (last - n));
  };

  return {
    publish(notice) {
      last += 1;
      const entry = { n: last, notice };
      kept.push(entry);
      if (kept.length > KEPT) kept.shift();
      for (const [listener, principal] of listening) if (isFor(notice, principal)) listener(toEvent(entry));
    },
    listen(principal, lastEventId, listener) {
      const missed = lastEventId === null ? [] : missedSince(lastEventId);
      if (missed === null) listener({ id: `${processId}-${last}`, event: { type: 'resync', id: '' } });
      for (const entry of missed ?? []) if (isFor(entry.notice, principal)) listener(toEvent(entry));
      listening.set(listener, principal);
      return () => void listening.delete(listener);
    },
    listeners: (principal) =>
      principal === undefined ? listening.size : [...listening.values()].filter((name) => name === principal).length,
  };
};
