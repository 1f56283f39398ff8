import { describe, expect, it } from 'vitest';
import { legacyClient } from './clients.ts';
import { fakeGate } from './fake-gate.ts';
import { bearer, openEvents, openSession, send, serveEndpoint } from './loopback.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };

describe('a session of a 2025 revision', () => {
  it('belongs to the credential that opened it; to another it does not exist', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const session = await openSession(url, bearer('csa_researcher'));
    const foreign = { ...session, ...bearer('csa_clerk') };
    const { authorization: _, ...anonymous } = session;
    const unknown = { ...session, 'mcp-session-id': 'no-such-session' };
    for (const message of [ping, call, { ...call, method: 'tools/list' }]) {
      const answers = await Promise.all([foreign, anonymous, unknown].map((headers) => send(url, message, { headers })));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
    expect((await send(url, undefined, { method: 'DELETE', headers: foreign })).status).toBe(404);
    expect((await send(url, undefined, { method: 'GET', headers: foreign })).status).toBe(404);
    expect((await send(url, ping, { headers: session })).status).toBe(200);
  });

  it('ends when its client says so', async () => {
    const { url, endpoint } = await serveEndpoint(fakeGate().deps);
    const session = await openSession(url, bearer('csa_researcher'));
    expect((await send(url, undefined, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await send(url, ping, { headers: session })).status).toBe(404);
    expect(endpoint.sessionCount()).toBe(0);
  });

  it('ends when nobody used it for a while', async () => {
    const gate = fakeGate({ timing: { sessionIdle: 60_000 } });
    const { url } = await serveEndpoint(gate.deps);
    const forgotten = await openSession(url, bearer('csa_researcher'));
    gate.now += 50_000;
    const used = await openSession(url, bearer('csa_researcher'));
    gate.now += 50_000;
    await openSession(url, bearer('csa_clerk'));
    expect((await send(url, ping, { headers: forgotten })).status).toBe(404);
    expect((await send(url, ping, { headers: used })).status).toBe(200);
  });

  it('makes room for a new one of the same credential, and takes nobody else his', async () => {
    const gate = fakeGate({ limits: { sessionsPerCredential: 2 } });
    const { url, endpoint } = await serveEndpoint(gate.deps);
    const clerk = await openSession(url, bearer('csa_clerk'));
    const first = await openSession(url, bearer('csa_researcher'));
    gate.now += 1;
    const second = await openSession(url, bearer('csa_researcher'));
    gate.now += 1;
    const third = await openSession(url, bearer('csa_researcher'));
    const states = await Promise.all([clerk, first, second, third].map(async (headers) => (await send(url, ping, { headers })).status));
    expect(states).toEqual([200, 404, 200, 200]);
    expect(endpoint.sessionCount()).toBe(3);
  });

  it('is refused where all of the credential are in use', async () => {
    const gate = fakeGate({ limits: { sessionsPerCredential: 1 } });
    const { url } = await serveEndpoint(gate.deps);
    const session = await openSession(url, bearer('csa_researcher'));
    const stream = openEvents(url, undefined, { method: 'GET', headers: session });
    await stream.headers;
    await expect(openSession(url, bearer('csa_researcher'))).rejects.toThrow('429');
    expect((await send(url, ping, { headers: session })).status).toBe(200);
  });

  it('does not count before its initialize was accepted', async () => {
    const { url, endpoint } = await serveEndpoint(fakeGate().deps);
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    const refused = await send(url, initialize, { headers: { accept: 'text/html' } });
    expect(refused.status).toBe(406);
    expect(endpoint.sessionCount()).toBe(0);
  });

  it('is needed for everything but initialize, in a revision that has sessions', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    expect((await send(url, call)).status).toBe(400);
    const session = await openSession(url);
    const wrongVersion = await send(url, call, { headers: { ...session, 'mcp-protocol-version': '2019-01-01' } });
    expect([wrongVersion.status, wrongVersion.text]).toEqual([400, expect.stringContaining('Unsupported protocol version')]);
    const { 'mcp-protocol-version': _, ...unnamed } = session;
    expect((await send(url, call, { headers: unnamed })).status).toBe(200);
  });

  it('names its work to the gate, each its own, without giving its id away', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const sessions = [await openSession(url, bearer('csa_researcher')), await openSession(url, bearer('csa_researcher'))];
    for (const headers of [...sessions, ...sessions]) await send(url, { ...call, params: { name: 'files__read' } }, { headers });
    const origins = gate.calls.map(({ origin }) => origin);
    expect(origins.slice(0, 2)).toEqual(origins.slice(2));
    expect(new Set(origins).size).toBe(2);
    for (const session of sessions) expect(origins.join()).not.toContain(session['mcp-session-id'] ?? '');
  });

  it('never mixes the answers of clients that use the same ids', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const sessions = await Promise.all(Array.from({ length: 50 }, () => openSession(url, bearer('csa_researcher'))));
    const open = sessions.map(() => gate.nextCall('files__read'));
    const answers = sessions.map((headers, client) =>
      send(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'files__read', arguments: { client } } }, { headers }),
    );
    const calls = await Promise.all(open);
    for (const { call: made, end } of calls.reverse()) {
      end({
        kind: 'reply',
        call: 'call_0',
        reply: { kind: 'result', result: { content: [], structuredContent: made.args } },
        decisions: [],
      });
    }
    const got = (await Promise.all(answers)).map((answer) => answer.json());
    expect(got).toEqual(sessions.map((_, client) => ({ jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: { client } } })));
  });

  it('answers parallel calls of one client each on its own, in whatever order they end (B1)', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const client = await legacyClient(url, 'csa_researcher');
    const open = Array.from({ length: 8 }, () => gate.nextCall('files__read'));
    const answers = open.map((_, n) => client.callTool({ name: 'files__read', arguments: { n } }));
    for (const { call: made, end } of (await Promise.all(open)).reverse()) {
      end({
        kind: 'reply',
        call: 'call_0',
        reply: { kind: 'result', result: { content: [], structuredContent: made.args } },
        decisions: [],
      });
    }
    expect((await Promise.all(answers)).map((answer) => answer.structuredContent)).toEqual(open.map((_, n) => ({ n })));
  });
});
