import { describe, expect, it, vi } from 'vitest';
import { httpServer, said, startedHost, stoppedClock } from '../fixtures/host.ts';
import { type Answer, events, json, PLAIN_TOOLS, serveMcp } from '../fixtures/http-server.ts';

/** Answers tools/call only. */
const onCall =
  (answer: Answer): Answer =>
  (received, response) =>
    received.message.method === 'tools/call' ? answer(received, response) : false;
const deferred = () => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
const RESULT = { content: [{ type: 'text', text: '"done"' }] };

describe('an upstream over Streamable HTTP', () => {
  it('gets the session, the revision, the configured headers and nothing of the caller', async () => {
    const server = await serveMcp();
    const headers = { Authorization: 'Bearer ours', 'Mcp-Session-Id': 'forged', Accept: 'text/html' };
    const { call } = await startedHost({ api: httpServer(server.url, { headers }) });
    const outcome = await call('api__echo', { a: [1] }, { meta: { traceparent: '00-1', authorization: 'x' } });
    expect(said(outcome)).toMatchObject({
      name: 'echo',
      arguments: { a: [1] },
      _meta: { traceparent: '00-1', 'io.countersign/idempotency-key': 'key-1' },
    });
    expect(server.calls()[0]?.headers).toMatchObject({
      authorization: 'Bearer ours',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
    expect(server.calls()[0]?.headers).not.toHaveProperty('mcp-method');
    expect(server.received.every(({ headers: each }) => each.authorization === 'Bearer ours')).toBe(true);
  });

  it('may answer by an event stream, with progress and requests of its own in between', async () => {
    const server = await serveMcp(
      onCall(({ message }, response) => {
        const stream = events(response);
        const { progressToken } = (message.params?._meta ?? {}) as { progressToken?: number };
        stream.write(': keepalive\n\nevent: ping\ndata: {}\n\nid: 1\ndata:\n\n');
        stream.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        stream.send({ method: 'notifications/progress', params: { progressToken: 'another', progress: 9 } });
        stream.send({ id: 's1', method: 'sampling/createMessage', params: {} });
        stream.send({ id: 's2', method: 'ping' });
        stream.write(`data: not json\n\ndata: {"jsonrpc":"2.0",\r\ndata: "id":${message.id},"result":${JSON.stringify(RESULT)}}\r\n\r\n`);
        stream.end();
      }),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    const seen: unknown[] = [];
    expect(said(await call('api__echo', {}, { onProgress: (progress) => seen.push(progress) }))).toBe('done');
    expect(seen).toEqual([{ progress: 1 }]);
    await vi.waitFor(
      () => expect(server.received.filter(({ message }) => message.id === 's1' || message.id === 's2')).toHaveLength(2),
      5000,
    );
    expect(server.received.find(({ message }) => message.id === 's1')?.message).toMatchObject({ error: { code: -32601 } });
    expect(server.received.find(({ message }) => message.id === 's2')?.message).toMatchObject({ result: {} });
  });

  it('may send its reply before it ends the stream', async () => {
    const server = await serveMcp(onCall(({ message }, response) => events(response).send({ id: message.id, result: RESULT })));
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(said(await call('api__echo'))).toBe('done');
  });

  it('keeps fifty calls at once apart', async () => {
    const server = await serveMcp(
      onCall(async ({ message }, response) => {
        const stream = events(response);
        await new Promise((resolve) => setImmediate(resolve));
        stream.send({ id: message.id, result: { content: [{ type: 'text', text: JSON.stringify(message.params?.arguments) }] } });
        stream.end();
      }),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => call('api__echo', { n })));
    expect(outcomes.map(said)).toEqual(Array.from({ length: 50 }, (_, n) => ({ n })));
  });

  it.each([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong character', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a repeated key', Buffer.from('{"a":1,"a":2}')],
  ])('has a reply with %s refused in both forms', async (_, bad) => {
    const server = await serveMcp(
      onCall(({ message }, response) => {
        const body = Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${message.id},"result":{"x":`), bad, Buffer.from('}}')]);
        if (message.params?.name === 'echo')
          return void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body);
        const stream = events(response);
        stream.write(Buffer.concat([Buffer.from('data: '), body, Buffer.from('\n\n')]));
        stream.end();
      }),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    for (const key of ['api__echo', 'api__other'])
      expect(await call(key)).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.bad_reply' } });
  });

  it('has bytes outside ASCII passed on unharmed, wherever the chunks are cut', async () => {
    const server = await serveMcp(
      onCall(async ({ message }, response) => {
        const stream = events(response);
        const bytes = Buffer.from(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: '"ü😀\u2028"' }] } })}\n\n`,
        );
        for (const byte of bytes) {
          stream.write(Buffer.from([byte]));
          await new Promise((resolve) => setImmediate(resolve));
        }
        stream.end();
      }),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(said(await call('api__echo'))).toBe('ü😀\u2028');
  });

  it.each([
    [
      'with its length announced',
      (response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 50_000_000 }).write('{'),
    ],
    ['in chunks', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(3000))],
    ['in one event', (response) => events(response).write(`data: ${'x'.repeat(3000)}`)],
  ] satisfies [string, (response: Parameters<Answer>[1]) => void][])('that sends too much %s fails the call', async (_, answer) => {
    const server = await serveMcp(onCall((__, response) => answer(response)));
    const { call, state } = await startedHost({ api: httpServer(server.url, { max_result_bytes: 2000 }) });
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.too_large' } });
    expect(state()).toBe('ready');
  });

  it.each([
    [401, false],
    [403, false],
    [404, false],
    [405, false],
    [413, false],
    [429, false],
    [307, false],
    [408, true],
    [500, true],
    [502, true],
    [503, true],
    [204, true],
  ])('that answers HTTP %i leaves sent at %s', async (status, sent) => {
    const server = await serveMcp((received, response) => {
      if (received.message.method === 'initialize') {
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'sessionless', version: '1' } };
        return json(response, { id: received.message.id, result });
      }
      if (received.message.method !== 'tools/call') return false;
      response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
    });
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent, code: 'upstream.bad_reply' } });
    expect(server.calls()).toHaveLength(1);
  });

  it.each([
    ['HTML', 'text/html', '<html>'],
    ['a reply to another request', 'application/json', '{"jsonrpc":"2.0","id":7,"result":{}}'],
    ['no JSON', 'application/json', 'hello'],
    ['a batch', 'application/json', '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
  ])('that answers with %s gave a bad reply', async (_, type, body) => {
    const server = await serveMcp(onCall((__, response) => void response.writeHead(200, { 'content-type': type }).end(body)));
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.bad_reply' } });
  });

  it('has a JSON-RPC error in a refusal passed on as the error it is', async () => {
    const server = await serveMcp(
      onCall(({ message }, response) => json(response, { id: message.id, error: { code: -32020, message: 'Header mismatch' } }, 400)),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo')).toMatchObject({ ok: true, value: { kind: 'error', error: { code: -32020 } } });
  });
});

describe('a session that the server forgot', () => {
  const forgetful = (status: number, relist: () => unknown = () => PLAIN_TOOLS) => {
    let server: Awaited<ReturnType<typeof serveMcp>> | undefined;
    return serveMcp((received, response) => {
      const { message, headers } = received;
      if (message.method === 'tools/list') {
        json(response, { id: message.id, result: { tools: relist() } });
        return;
      }
      if (message.method !== 'tools/call' || headers['mcp-session-id'] === server?.session()) return false;
      json(response, { id: null, error: { code: -32001, message: 'Session not found' } }, status);
    }).then((started) => {
      server = started;
      return started;
    });
  };

  it.each([404, 400])('is opened anew on HTTP %i, and the call sent once more', async (status) => {
    const server = await forgetful(status);
    const { call, state } = await startedHost({ api: httpServer(server.url) });
    server.forgetSession();
    expect(said(await call('api__echo', { a: 1 }))).toMatchObject({ arguments: { a: 1 } });
    expect(server.calls().map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-1', 'session-2']);
    expect(state()).toBe('ready');
  });

  it('does not carry an approved call over to a changed tool (A1)', async () => {
    let description = 'first';
    const server = await forgetful(404, () => [{ name: 'echo', description, inputSchema: { type: 'object' } }]);
    const { call, upstreams } = await startedHost({ api: httpServer(server.url) });
    server.forgetSession();
    description = 'second';
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent: false, code: 'upstream.down' } });
    expect(server.calls()).toHaveLength(1);
    expect(upstreams.tool('api__echo')?.definition.description).toBe('second');
  });

  it('is not opened anew for ever', async () => {
    const server = await serveMcp(
      onCall((_, response) => json(response, { id: null, error: { code: -32001, message: 'Session not found' } }, 404)),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent: false, code: 'upstream.down' } });
    expect(server.calls()).toHaveLength(2);
  });
});

describe('a connection that breaks', () => {
  it('before it was made means that nothing was sent, and the server is tried again', async () => {
    const { clock, advance, waiting } = stoppedClock();
    // No connection is kept, so the next call has to make one.
    const server = await serveMcp((_, response) => !response.setHeader('connection', 'close'));
    const { call, state, upstreams } = await startedHost({ api: httpServer(server.url) }, { clock });
    await server.close();
    expect(await call('api__echo')).toMatchObject({
      ok: false,
      error: { sent: false, code: 'upstream.down', message: expect.stringContaining('ECONNREFUSED') },
    });
    expect(state()).toBe('down');
    expect(upstreams.tool('api__echo')).toBeDefined();
    await serveMcp(undefined, server.port);
    advance(waiting()[0] ?? 0);
    await vi.waitFor(() => expect(state()).toBe('ready'), 5000);
    expect(said(await call('api__echo', { a: 1 }))).toMatchObject({ arguments: { a: 1 } });
  });

  it.each([
    ['without a byte', (response) => void response.destroy()],
    [
      'during the reply',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc"', () => response.destroy()),
    ],
    [
      'during the event stream',
      (response) => {
        events(response);
        setImmediate(() => response.destroy());
      },
    ],
    ['at the end of an empty event stream', (response) => events(response).end()],
  ] satisfies [string, (response: Parameters<Answer>[1]) => void][])('%s after the request means that nobody knows', async (_, answer) => {
    const server = await serveMcp(onCall((__, response) => answer(response)));
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.down' } });
    expect(server.calls()).toHaveLength(1);
  });

  it('is resumed where the server left an event id to ask for, without sending the call again', async () => {
    let id: unknown;
    const server = await serveMcp((received, response) => {
      if (received.method === 'GET' && received.headers['last-event-id'] !== undefined) {
        const stream = events(response);
        if (received.headers['last-event-id'] === 'e1') stream.write('id: e2\nretry: 1\ndata:\n\n');
        else stream.send({ id, result: RESULT });
        return stream.end();
      }
      if (received.message.method !== 'tools/call') return false;
      id = received.message.id;
      const stream = events(response);
      stream.write('retry: 1\nid: e1\ndata:\n\n');
      stream.end();
    });
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(said(await call('api__echo'))).toBe('done');
    expect(server.calls()).toHaveLength(1);
    expect(server.received.filter(({ headers }) => headers['last-event-id']).map(({ headers }) => headers['last-event-id'])).toEqual([
      'e1',
      'e2',
    ]);
  });

  it('and can’t be resumed leaves the outcome unknown', async () => {
    const server = await serveMcp(
      onCall((_, response) => {
        const stream = events(response);
        stream.write('retry: 1\nid: e1\ndata:\n\n');
        stream.end();
      }),
    );
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo')).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.down' } });
  });
});

describe('giving up over HTTP', () => {
  it('tells a 2025-era server by a notification', async () => {
    const { clock, advance } = stoppedClock();
    const arrived = deferred();
    const server = await serveMcp(onCall(() => arrived.resolve()));
    const { call } = await startedHost({ api: httpServer(server.url, { timeout: 3000 }) }, { clock });
    const hung = call('api__echo');
    await arrived.promise;
    advance(3000);
    expect(await hung).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.timeout' } });
    await vi.waitFor(() => expect(server.received.at(-1)?.message.method).toBe('notifications/cancelled'), 5000);
    expect(server.received.at(-1)?.message.params?.requestId).toBe(server.calls()[0]?.message.id);
  });

  it('before sending sends nothing', async () => {
    const server = await serveMcp();
    const { call } = await startedHost({ api: httpServer(server.url) });
    expect(await call('api__echo', {}, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { sent: false, code: 'upstream.cancelled' },
    });
    expect(server.calls()).toEqual([]);
  });

  it('at close ends the session and what waits', async () => {
    const arrived = deferred();
    const server = await serveMcp(onCall(() => arrived.resolve()));
    const { call, upstreams } = await startedHost({ api: httpServer(server.url) });
    const hung = call('api__echo');
    await arrived.promise;
    await upstreams.close();
    expect(await hung).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.down' } });
    expect(server.received.find(({ method }) => method === 'DELETE')?.headers['mcp-session-id']).toBe('session-1');
  });
});

describe('coming up over HTTP', () => {
  it('does not wait longer than the start may take, nor does close', async () => {
    const server = await serveMcp(() => undefined);
    const { upstreams, state } = await startedHost({ api: httpServer(server.url) }, { timing: { startMs: 50 } });
    expect(state()).toBe('connecting');
    await upstreams.close();
    expect(state()).toBe('down');
  });

  it('is bounded where a server answers the handshake without end', async () => {
    const server = await serveMcp(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('x'.repeat(20_000)),
    );
    const { upstreams } = await startedHost({ api: httpServer(server.url, { max_result_bytes: 10_000 }) });
    expect(upstreams.status()[0]).toMatchObject({ state: 'down', error: expect.stringContaining('more than 10000 bytes') });
  });

  it('says which error of the system kept it from coming up', async () => {
    const server = await serveMcp();
    await server.close();
    const { upstreams } = await startedHost({ api: httpServer(server.url) });
    expect(upstreams.status()[0]).toMatchObject({ state: 'down', error: expect.stringContaining('ECONNREFUSED') });
  });

  it('shows what the server says of itself harmlessly and cut short', async () => {
    const server = await serveMcp(
      (_, response) => void response.writeHead(500, { 'content-type': 'text/html' }).end(`\u001b[2J\u202e${'x'.repeat(5000)}`),
    );
    const { upstreams } = await startedHost({ api: httpServer(server.url) });
    const { error = '' } = upstreams.status()[0] ?? {};
    expect(error).toMatch(/^[\x20-\x7e]*…?$/);
    expect(error.length).toBeLessThan(700);
  });

  it('says that the credentials were refused', async () => {
    const server = await serveMcp((_, response) => void response.writeHead(401).end());
    const { upstreams } = await startedHost({ api: httpServer(server.url) });
    expect(upstreams.status()[0]).toMatchObject({ state: 'down', error: expect.stringContaining('401') });
  });
});
