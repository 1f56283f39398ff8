import { describe, expect, it } from 'vitest';
import { createClient } from '../src/client.ts';
import { ClientError } from '../src/client-result.ts';
import type { ClientEvent } from '../src/events.ts';
import { events, problem, scripted } from './scripted-fetch.ts';

const event = (n: number): string => `id: p-${n}\nevent: decision\ndata: {"id":"dec_${n}","state":"pending","version":1}\n\n`;

/** Takes the first `count` events and leaves the loop. */
const take = async (stream: AsyncGenerator<ClientEvent>, count: number): Promise<ClientEvent[]> => {
  const taken: ClientEvent[] = [];
  for await (const one of stream) {
    taken.push(one);
    if (taken.length === count) break;
  }
  return taken;
};

describe('events', () => {
  it('come with their type and the id to go on from', async () => {
    const { options } = scripted(events(`retry: 2000\n: connected\n\n${event(1)}`, { staysOpen: true }));
    expect(await take(createClient(options).events(), 1)).toEqual([
      { type: 'decision', id: 'dec_1', state: 'pending', version: 1, eventId: 'p-1' },
    ]);
  });

  it('go on after a break from where they were', async () => {
    const { options, sent, waits } = scripted(events(`retry: 700\n\n${event(1)}`), new TypeError('down'), events(event(2)));
    const taken = await take(createClient(options).events(), 2);
    expect(taken.map(({ id }) => id)).toEqual(['dec_1', 'dec_2']);
    expect(sent.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 'p-1', 'p-1']);
    expect(waits).toEqual([700, 1400]);
  });

  it('begin where the caller left off', async () => {
    const { options, sent } = scripted(events(event(8)));
    await take(createClient(options).events({ lastEventId: 'p-7' }), 1);
    expect(sent[0]?.headers.get('last-event-id')).toBe('p-7');
  });

  it('say resync when a break fell before the first of them', async () => {
    const { options } = scripted(events(': connected\n\n'), events(event(2)));
    expect((await take(createClient(options).events(), 2)).map(({ type }) => type)).toEqual(['resync', 'decision']);
  });

  it('survive a chunk that ends within a character', async () => {
    const bytes = new TextEncoder().encode('event: agent\ndata: {"id":"zoë"}\n\n');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      },
    });
    const { options } = scripted(new Response(body));
    expect(await take(createClient(options).events(), 1)).toMatchObject([{ id: 'zoë' }]);
  });

  it('end with an error when the server refuses for good', async () => {
    const { options } = scripted(problem(401, 'credential.invalid'));
    const refusal = await take(createClient(options).events(), 1).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ClientError);
    expect((refusal as ClientError).failure.code).toBe('credential.invalid');
  });

  it('come back after the server was full or down', async () => {
    const { options, waits } = scripted(problem(429, 'limit.reached'), problem(503, 'store.unavailable'), events(event(1)));
    expect(await take(createClient(options).events(), 1)).toHaveLength(1);
    expect(waits).toEqual([2000, 4000]);
  });

  it('stop when the signal says so', async () => {
    const stop = new AbortController();
    const { options } = scripted(events(event(1)));
    const taken: ClientEvent[] = [];
    for await (const one of createClient(options).events({ signal: stop.signal })) {
      taken.push(one);
      stop.abort();
    }
    expect(taken).toHaveLength(1);
  });
});
