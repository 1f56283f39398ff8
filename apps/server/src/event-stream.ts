import { Readable } from 'node:stream';
import type { EventHub, HubEvent } from './event-hub.ts';

const RETRY_MS = 2000;
/** A client that does not read is let go at this many unread bytes; it comes back with its Last-Event-ID. */
const MAX_UNREAD_BYTES = 1024 * 1024;

const format = ({ id, event: { type, ...data } }: HubEvent): string => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

export type StreamOptions = {
  readonly principal: string;
  readonly lastEventId: string | null;
  readonly keepaliveMs: number;
  /** Asked at every keepalive: a stream does not outlive the credential that opened it. */
  readonly isStillAllowed: () => Promise<boolean>;
};

/** One client's server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html); leaves the hub when the stream is destroyed. */
export const openEventStream = (hub: EventHub, { principal, lastEventId, keepaliveMs, isStillAllowed }: StreamOptions): Readable => {
  const stream = new Readable({ read() {} });
  const write = (text: string): void => {
    if (stream.destroyed) return;
    stream.push(text);
    if (stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
  };
  write(`retry: ${RETRY_MS}\n: connected\n\n`);
  const leave = hub.listen(principal, lastEventId, (event) => write(format(event)));
  const timer = setInterval(() => {
    isStillAllowed().then(
      (allowed) => (allowed ? write(': keepalive\n\n') : stream.push(null)),
      () => stream.push(null),
    );
  }, keepaliveMs);
  timer.unref();
  stream.once('close', () => {
    clearInterval(timer);
    leave();
  });
  return stream;
};
