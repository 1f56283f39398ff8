import { describe, expect, it } from 'vitest';
import { aTool, fakeGate } from './fake-gate.ts';
import { bearer, modern, openEvents, openSession, send, serveEndpoint } from './loopback.ts';

const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'sub');
const CHANGED = 'notifications/tools/list_changed';

describe('a change of tools', () => {
  it('is told to those whose own list changed, once, in both eras', async () => {
    const gate = fakeGate({ timing: { listChangedDebounce: 5 } });
    const { url, endpoint } = await serveEndpoint(gate.deps);
    const open = async (secret: string) => {
      const session = openEvents(url, undefined, { method: 'GET', headers: await openSession(url, bearer(secret)) });
      const listener = openEvents(url, listen.body, { headers: { ...listen.headers, ...bearer(secret) } });
      await session.headers;
      expect(await listener.nextMessage()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
      return { session, listener };
    };
    const researcher = await open('csa_researcher');
    const newcomer = await open('csa_newcomer');
    gate.tools = [...gate.tools, aTool('jar__fill')];
    for (let n = 0; n < 3; n += 1) endpoint.toolsChanged();
    expect(await researcher.session.nextMessage()).toMatchObject({ method: CHANGED });
    expect(await researcher.listener.nextMessage()).toMatchObject({
      method: CHANGED,
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
    });
    // The end of the streams shows that nothing else was on them.
    await endpoint.close();
    expect(await researcher.session.nextMessage()).toBeUndefined();
    expect(await newcomer.session.nextMessage()).toBeUndefined();
    expect(await researcher.listener.nextMessage()).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
    expect(await newcomer.listener.nextMessage()).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
  });

  it('is not told to a client that has listed the tools since', async () => {
    const gate = fakeGate({ timing: { listChangedDebounce: 5 } });
    const { url, endpoint } = await serveEndpoint(gate.deps);
    const headers = await openSession(url, bearer('csa_researcher'));
    const other = await openSession(url, bearer('csa_clerk'));
    const stream = openEvents(url, undefined, { method: 'GET', headers });
    const others = openEvents(url, undefined, { method: 'GET', headers: other });
    await Promise.all([stream.headers, others.headers]);
    gate.tools = [aTool('jar__fill')];
    await send(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers });
    endpoint.toolsChanged();
    expect(await others.nextMessage()).toMatchObject({ method: CHANGED });
    await endpoint.close();
    expect(await stream.nextMessage()).toBeUndefined();
  });

  it('closes the stream of a credential that is gone', async () => {
    const gate = fakeGate({ timing: { listChangedDebounce: 5 } });
    const { url, endpoint } = await serveEndpoint(gate.deps);
    const stream = openEvents(url, undefined, { method: 'GET', headers: await openSession(url, bearer('csa_researcher')) });
    const listener = openEvents(url, listen.body, { headers: { ...listen.headers, ...bearer('csa_researcher') } });
    await Promise.all([stream.headers, listener.nextMessage()]);
    gate.callers.delete('csa_researcher');
    gate.tools = [];
    endpoint.toolsChanged();
    expect(await stream.nextMessage()).toBeUndefined();
    expect(await listener.nextMessage()).toMatchObject({ result: { resultType: 'complete' } });
    expect(endpoint.sessionCount()).toBe(0);
  });

  it('can be listened for by so many streams of one credential and no more', async () => {
    const { url } = await serveEndpoint(fakeGate({ limits: { listenersPerCredential: 1 } }).deps);
    const open = (secret: string) => openEvents(url, listen.body, { headers: { ...listen.headers, ...bearer(secret) } });
    const first = open('csa_researcher');
    await first.nextMessage();
    const refused = await send(url, listen.body, { headers: { ...listen.headers, ...bearer('csa_researcher') } });
    expect([refused.status, refused.json()]).toMatchObject([429, { id: 'sub', error: { data: { code: 'limit.reached' } } }]);
    expect(await open('csa_clerk').nextMessage()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  });
});
