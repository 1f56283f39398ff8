import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChangeNotice, ServerSettings } from '../src/ports.ts';
import { HOST, TOKENS } from './fake-host.ts';
import { type TestServer, testServer } from './requests.ts';

type Message = { readonly id?: string; readonly event?: string; readonly data?: unknown };
type Stream = { readonly response: IncomingMessage; next(): Promise<Message>; leave(): void };

const open: { server: TestServer; requests: ClientRequest[] }[] = [];
afterEach(async () => {
  for (const { server, requests } of open.splice(0)) {
    for (const request of requests) request.destroy();
    await server.app.close();
  }
});

const parse = (block: string): Message => {
  const fields = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  return { ...fields, ...(fields.data === undefined ? {} : { data: JSON.parse(fields.data) }) };
};

const listening = async (settings: Partial<ServerSettings> = {}) => {
  const server = testServer({ settings });
  const requests: ClientRequest[] = [];
  open.push({ server, requests });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const connect = async (headers: Record<string, string> = {}, token: string = TOKENS.ada): Promise<Stream> => {
    const request = get({ port, path: '/events', headers: { host: HOST, authorization: `Bearer ${token}`, ...headers } });
    requests.push(request);
    request.on('error', () => {});
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.setEncoding('utf8').on('error', () => {});
    const chunks = response[Symbol.asyncIterator]();
    let text = '';
    const next = async (): Promise<Message> => {
      while (!text.includes('\n\n')) {
        const chunk = await chunks.next();
        if (chunk.done) return { event: 'the end' };
        text += chunk.value;
      }
      const [block = ''] = text.split('\n\n', 1);
      text = text.slice(block.length + 2);
      return block.startsWith(':') || block.startsWith('retry') ? next() : parse(block);
    };
    return { response, next, leave: () => request.destroy() };
  };
  // Once its headers are here, a stream hears everything that is announced.
  return { ...server, connect, port };
};

const changed = (id: string, seenBy: string[] = [], fields: Partial<ChangeNotice> = {}): ChangeNotice => ({
  type: 'decision',
  id,
  state: 'pending',
  version: 1,
  seenBy,
  ...fields,
});

describe('GET /events', () => {
  it('says what changed, and not to whom', async () => {
    const { connect, host } = await listening();
    const stream = await connect();
    host.announce(changed('dec_1', ['ada']));
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(await stream.next()).toEqual({
      id: expect.stringMatching(/^\w+-1$/),
      event: 'decision',
      data: { id: 'dec_1', state: 'pending', version: 1 },
    });
  });

  it('leaves out what belongs to other principals only', async () => {
    const { connect, host } = await listening();
    const [ada, ben] = [await connect(), await connect({}, TOKENS.ben)];
    host.announce(changed('dec_1', ['ben']));
    host.announce(changed('dec_2', ['ada', 'ben']));
    host.announce({ type: 'host', id: 'host', state: 'frozen', seenBy: [] });
    expect([(await ada.next()).data, (await ada.next()).event]).toEqual([expect.objectContaining({ id: 'dec_2' }), 'host']);
    expect([(await ben.next()).data, (await ben.next()).data]).toEqual([
      expect.objectContaining({ id: 'dec_1' }),
      expect.objectContaining({ id: 'dec_2' }),
    ]);
  });

  it('gives a client that comes back what it missed', async () => {
    const { connect, host } = await listening();
    const before = await connect();
    host.announce(changed('dec_1'));
    const { id = '' } = await before.next();
    before.leave();
    host.announce(changed('dec_2', ['ben']));
    host.announce(changed('dec_3', ['ada']));
    const after = await connect({ 'last-event-id': id });
    expect(await after.next()).toMatchObject({ data: { id: 'dec_3' } });
  });

  it.each(['other-1', 'nonsense', '', '-'])(
    'tells a client to read again when it cannot say what was missed: "%s"',
    async (lastEventId) => {
      const { connect, host } = await listening();
      const stream = await connect({ 'last-event-id': lastEventId });
      host.announce(changed('dec_1'));
      const first = await stream.next();
      expect(first.event).toBe(lastEventId === '' ? 'decision' : 'resync');
    },
  );

  it('tells a client that was away too long to read again', async () => {
    const { connect, host } = await listening();
    const before = await connect();
    host.announce(changed('dec_0'));
    const { id = '' } = await before.next();
    before.leave();
    for (let n = 0; n < 2001; n += 1) host.announce(changed(`dec_${n}`));
    expect(await (await connect({ 'last-event-id': id })).next()).toMatchObject({ event: 'resync' });
  });

  it('holds a principal to its share of streams, and gives a place back', async () => {
    const { connect } = await listening({ streamsPerPrincipal: 2 });
    const first = await connect();
    await connect();
    expect((await connect()).response.statusCode).toBe(429);
    expect((await connect({}, TOKENS.ben)).response.statusCode).toBe(200);
    first.leave();
    await expect.poll(async () => (await connect()).response.statusCode).toBe(200);
  });

  it('ends when the session that opened it ends', async () => {
    const { connect, send, host, port } = await listening({ keepaliveMs: 5 });
    const login = await send('POST', '/api/v1/login', { body: { token: TOKENS.ada } });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const request = get({
      port: port,
      path: '/events',
      headers: { host: HOST, cookie },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    host.revoke(cookie.split('=')[1] ?? '');
    await once(response, 'end');
    expect(response.complete).toBe(true);
    expect((await connect()).response.statusCode).toBe(200);
  });

  it('is not for agents', async () => {
    const { connect } = await listening();
    expect((await connect({}, TOKENS.researcher)).response.statusCode).toBe(403);
  });

  it('ends with the server, which then listens to no changes', async () => {
    const { connect, app, host } = await listening();
    const stream = await connect();
    await app.close();
    expect(await stream.next()).toEqual({ event: 'the end' });
    expect(host.listenerCount()).toBe(0);
  });
});

describe('a server that was only built', () => {
  it('listens to nothing and starts no timer', () => {
    const { host } = testServer();
    expect(host.listenerCount()).toBe(0);
  });
});
