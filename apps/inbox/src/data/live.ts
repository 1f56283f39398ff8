/**
 * One event stream for all tabs of a browser: browsers keep six connections to a host over HTTP/1.1, and a stream for each tab would use
 * them up. The tab that holds the lock reads it and passes everything on; when it closes, another takes over where it was.
 */
import type { ClientEvent } from '@countersign/client';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { applyEvents } from './apply-events.ts';
import { client, isLoggedOut } from './client.ts';
import { type Connection, connection, onConnection, setConnection } from './connection.ts';
import { keys } from './keys.ts';

const CHANNEL = 'countersign-events';
/** Events of one moment are applied together, a frame later. */
const GATHER_MS = 16;

type Passed = { readonly events: readonly ClientEvent[] } | { readonly connection: Connection } | { readonly asks: true };

function createGatherer(queryClient: QueryClient): (event: ClientEvent) => void {
  let waiting: ClientEvent[] = [];
  let running: Promise<void> = Promise.resolve();
  return (event) => {
    waiting.push(event);
    if (waiting.length > 1) return;
    setTimeout(() => {
      const events = waiting;
      waiting = [];
      running = running.then(() => applyEvents(queryClient, events)).catch(() => undefined);
    }, GATHER_MS);
  };
}

/** @returns false where the server will send no more events to this session. */
async function readStream(
  signal: AbortSignal,
  lastEventId: string | null,
  onEvent: (event: ClientEvent) => void,
  queryClient: QueryClient,
): Promise<boolean> {
  try {
    for await (const event of client.events({ signal, lastEventId: lastEventId ?? undefined })) onEvent(event);
    return true;
  } catch (error) {
    setConnection('offline');
    if (isLoggedOut(error)) void queryClient.invalidateQueries({ queryKey: keys.me });
    return false;
  }
}

/** A machine that slept, or changed its network, may hold a connection that is dead and does not know it. Tabs in the back tick once a minute. */
const TICK_MS = 5000;
const SLEPT_MS = 90_000;

/** Calls `act` when the network came or went, and when the page wakes from a sleep. */
function onWaking(act: () => void, signal: AbortSignal): void {
  addEventListener('online', act, { signal });
  addEventListener('offline', act, { signal });
  let tickedAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - tickedAt > SLEPT_MS) act();
    tickedAt = Date.now();
  }, TICK_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

function follow(queryClient: QueryClient, signal: AbortSignal): void {
  const gather = createGatherer(queryClient);
  const channel = new BroadcastChannel(CHANNEL);
  let lastEventId: string | null = null;
  let isLeader = false;
  let isCaughtUp = false;
  const take = (event: ClientEvent): void => {
    lastEventId = event.eventId ?? lastEventId;
    gather(event);
  };
  const lead = async (): Promise<void> => {
    isLeader = true;
    const leave = onConnection(() => {
      channel.postMessage({ connection: connection() } satisfies Passed);
      if (connection() !== 'live' || isCaughtUp) return;
      isCaughtUp = true;
      // What changed between the reading of a list and the opening of a stream that was not told from where came in neither.
      if (lastEventId === null) void queryClient.invalidateQueries({ queryKey: keys.decisionLists });
    });
    signal.addEventListener('abort', leave);
    const pass = (event: ClientEvent): void => {
      channel.postMessage({ events: [event] } satisfies Passed);
      take(event);
    };
    let reading = new AbortController();
    onWaking(() => reading.abort(), signal);
    for (let isWelcome = true; isWelcome && !signal.aborted; ) {
      reading = new AbortController();
      isCaughtUp = false;
      isWelcome = await readStream(AbortSignal.any([signal, reading.signal]), lastEventId, pass, queryClient);
    }
  };
  channel.onmessage = ({ data }: MessageEvent<Passed>) => {
    if ('events' in data) data.events.forEach(take);
    else if ('connection' in data) setConnection(data.connection);
    else if (isLeader) channel.postMessage({ connection: connection() } satisfies Passed);
  };
  channel.postMessage({ asks: true } satisfies Passed);
  signal.addEventListener('abort', () => channel.close());
  // Locks exist in secure contexts only, loopback included; elsewhere each tab reads for itself.
  if (navigator.locks === undefined) void lead();
  else navigator.locks.request(CHANNEL, { signal }, lead).catch(() => undefined);
}

/** Keeps the cache true while somebody is logged in. */
export function useLive(isLoggedIn: boolean): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isLoggedIn) return;
    const ending = new AbortController();
    follow(queryClient, ending.signal);
    return () => ending.abort();
  }, [isLoggedIn, queryClient]);
}
