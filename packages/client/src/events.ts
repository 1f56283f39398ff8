import type { ServerEvent } from '@countersign/contracts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ClientError, failureOf } from './client-result.ts';
import type { Transport } from './transport.ts';

/** `eventId` goes back to the server as `lastEventId` after a break. */
export type ClientEvent = ServerEvent & { readonly eventId: string | null };

export type EventOptions = { readonly lastEventId?: string | undefined; readonly signal?: AbortSignal };

const RETRY_MS = 2000;
const MAX_RETRY_MS = 30_000;
/** The server sends something every 15 s; after three silences the connection is dead, whatever the network believes. */
const STALLED_MS = 45_000;

type Position = { lastEventId: string | null; retryMs: number };

const toEvent = ({ event, data, id }: EventSourceMessage): ClientEvent => ({
  ...(JSON.parse(data) as Omit<ServerEvent, 'type'>),
  type: (event ?? 'resync') as ServerEvent['type'],
  eventId: id ?? null,
});

/** Reads one connection to its end. A broken one ends like a closed one: the caller comes back either way. */
async function* readStream(body: ReadableStream<Uint8Array>, position: Position): AsyncGenerator<ClientEvent> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => void messages.push(message),
    onRetry: (ms) => {
      position.retryMs = Math.min(ms, MAX_RETRY_MS);
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  let watchdog = setTimeout(cancel, STALLED_MS);
  try {
    for (;;) {
      const chunk = await reader.read().catch(() => undefined);
      if (chunk === undefined || chunk.done) return;
      clearTimeout(watchdog);
      watchdog = setTimeout(cancel, STALLED_MS);
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      for (const message of messages.splice(0)) {
        position.lastEventId = message.id ?? position.lastEventId;
        yield toEvent(message);
      }
    }
  } finally {
    clearTimeout(watchdog);
    cancel();
  }
}

const connect = async (
  transport: Transport,
  { lastEventId }: Position,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array> | null> => {
  const headers = { accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) };
  let response: Response;
  try {
    response = await transport.open('/events', headers, signal);
  } catch {
    return null;
  }
  if (response.ok) return response.body;
  const failure = failureOf(response.status, await response.json().catch(() => undefined));
  if (response.status < 500 && response.status !== 429) throw new ClientError(failure);
  return null;
};

/**
 * Changes as they happen, over any number of connections, until `signal` aborts or the loop is left. After a break the server fills the gap or sends
 * `resync`; where it was never told from where, the iterator itself says `resync`. Throws `ClientError` when the server refuses for good.
 */
export async function* readEvents(transport: Transport, { lastEventId, signal }: EventOptions): AsyncGenerator<ClientEvent> {
  const position: Position = { lastEventId: lastEventId ?? null, retryMs: RETRY_MS };
  let failures = 0;
  let isFirst = true;
  while (!signal?.aborted) {
    const body = await connect(transport, position, signal);
    if (body !== null) {
      failures = 0;
      if (!isFirst && position.lastEventId === null) yield { type: 'resync', id: '', eventId: null };
      isFirst = false;
      yield* readStream(body, position);
    }
    if (signal?.aborted) return;
    try {
      await transport.wait(Math.min(position.retryMs * 2 ** failures, MAX_RETRY_MS), signal);
    } catch {
      return;
    }
    failures += 1;
  }
}
