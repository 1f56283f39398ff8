import type { CallEnd } from '@countersign/engine';
import { describe, expect, it } from 'vitest';
import { call, legacyClient, modernClient, textOf } from './clients.ts';
import { aCaller, aTool, CALL_ID, decisionId, fakeGate, held, reply } from './fake-gate.ts';
import { bearer, modern, openEvents, openSession, send, serveEndpoint } from './loopback.ts';

const CLIENTS = [
  ['2025', legacyClient],
  ['2026-07-28', (url: URL, secret?: string) => modernClient(url, secret)],
] as const;
const never = new Promise<never>(() => undefined);
const quick = { ...aCaller('member', { agent: 'researcher', principal: 'ada' }), hold: { waitMs: 20, waitWithProgressMs: 40 } };

describe.each(CLIENTS)('a held call to a client of %s', (_, connect) => {
  it('returns as pending within the time of a client that gives up after 5 s, even if the gate never comes back (C5)', async () => {
    const gate = fakeGate();
    gate.ends.set('jar__eat', ({ onHeld }) => {
      onHeld?.(held('1'));
      return never;
    });
    const { url } = await serveEndpoint(gate.deps);
    const client = await connect(url, 'csa_researcher');
    const result = await call(client, { name: 'jar__eat', arguments: {} }, { timeout: 5000 });
    expect(result).toMatchObject({
      _meta: {
        'io.countersign/decision': {
          id: decisionId('1'),
          state: 'pending',
          expiresAt: '2026-12-01T00:00:00.000Z',
          url: expect.stringContaining(decisionId('1')),
        },
        'io.countersign/outcome': { code: 'pending' },
      },
    });
    expect(result.isError).toBeUndefined();
    const text = textOf(result);
    for (const said of [
      'Not executed',
      decisionId('1'),
      'Cookies cannot be un-eaten.',
      'ada',
      'await_decision',
      'nothing to fix',
      'no need to repeat',
    ]) {
      expect(text).toContain(said);
    }
    expect(gate.calls[0]?.signal.aborted).toBe(false);
  });

  it('reports progress under the token of the caller, growing, and then the result', async () => {
    const gate = fakeGate({ timing: { progress: 5, slow: 5 } });
    const next = gate.nextCall('jar__eat');
    const { url } = await serveEndpoint(gate.deps);
    const client = await connect(url, 'csa_researcher');
    const seen: number[] = [];
    let enough: () => void = () => undefined;
    const threeTicks = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const onprogress = ({ progress }: { progress: number }) => {
      seen.push(progress);
      if (seen.length === 3) enough();
    };
    const answer = call(client, { name: 'jar__eat', arguments: {} }, { onprogress });
    const open = await next;
    expect(open.call.hasProgress).toBe(true);
    open.call.onHeld?.(held('1'));
    await threeTicks;
    open.call.onProgress?.({ progress: 1, total: 4, message: 'from upstream' });
    open.end(reply({ content: [{ type: 'text', text: 'eaten' }] }));
    expect(textOf(await answer)).toBe('eaten');
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  it('is an error where the tool promises structured content, which clients would miss otherwise', async () => {
    const gate = fakeGate();
    gate.callers.set('csa_researcher', quick);
    gate.tools = [aTool('jar__eat', { outputSchema: { type: 'object', properties: { left: { type: 'number' } }, required: ['left'] } })];
    gate.ends.set('jar__eat', () => held('1'));
    const { url } = await serveEndpoint(gate.deps);
    const client = await connect(url, 'csa_researcher');
    await client.listTools();
    const result = await client.callTool({ name: 'jar__eat', arguments: {} });
    expect(result).toMatchObject({ isError: true, _meta: { 'io.countersign/outcome': { code: 'pending' } } });
  });

  it('gives the result of the call itself by await_decision, again and again, to its own agent only', async () => {
    const gate = fakeGate();
    let end: CallEnd = held('1');
    gate.decisions.set(decisionId('1'), { owner: 'researcher', end: () => end });
    const { url } = await serveEndpoint(gate.deps);
    const client = await connect(url, 'csa_researcher');
    const ask = () => client.callTool({ name: 'await_decision', arguments: { id: decisionId('1'), wait_seconds: 0 } });
    expect((await ask())._meta).toMatchObject({ 'io.countersign/outcome': { code: 'pending' } });
    end = reply({ content: [{ type: 'text', text: 'eaten' }], structuredContent: { left: 2 } });
    for (const result of [await ask(), await ask()])
      expect(result).toMatchObject({ content: [{ type: 'text', text: 'eaten' }], structuredContent: { left: 2 } });

    const other = await connect(url, 'csa_clerk');
    const foreign = await other.callTool({ name: 'await_decision', arguments: { id: decisionId('1') } });
    const unknown = await other.callTool({ name: 'await_decision', arguments: { id: decisionId('2') } });
    expect(JSON.stringify(foreign).replaceAll(decisionId('1'), decisionId('2'))).toBe(JSON.stringify(unknown));
    expect(foreign.isError).toBe(true);
  });
});

describe('the wait of a held call', () => {
  it('never passes the budget of the caller, whatever await_decision is asked for', async () => {
    const waits: number[] = [];
    const gate = fakeGate({
      awaitDecision: async (_, __, { waitMs }) => {
        waits.push(waitMs);
        return { ok: true, value: held('1') };
      },
    });
    const { url } = await serveEndpoint(gate.deps);
    const ask = async (args: object, meta: object = {}) => {
      const { body, headers } = modern('tools/call', { name: 'await_decision', arguments: args, _meta: meta });
      await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    };
    const id = decisionId('1');
    await ask({ id });
    await ask({ id, wait_seconds: 3600 });
    await ask({ id, wait_seconds: 1 });
    await ask({ id, wait_seconds: 3600 }, { progressToken: 'p' });
    expect(waits).toEqual([3000, 3000, 1000, 45_000]);
  });

  it('is a stream that says who answers, is not buffered, and stays alive', async () => {
    const gate = fakeGate({ timing: { keepalive: 5 } });
    const next = gate.nextCall('jar__eat');
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/call', { name: 'jar__eat', _meta: { progressToken: 7 } });
    const stream = openEvents(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    const open = await next;
    open.call.onHeld?.(held('1'));
    expect((await stream.headers).headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-cache, no-transform',
      'countersign-lane': 'member',
    });
    expect(await stream.nextMessage()).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 7, progress: 1, message: expect.stringContaining(`${decisionId('1')} for ada`) },
    });
    expect(await stream.next()).toBe(': keepalive');
    open.end(reply({ content: [] }));
    expect(await stream.nextMessage()).toMatchObject({ id: 1, result: { content: [], resultType: 'complete' } });
    expect(await stream.nextMessage()).toBeUndefined();
  });

  it('is one JSON body for a client that takes no stream', async () => {
    const gate = fakeGate();
    gate.callers.set('csa_researcher', quick);
    gate.ends.set('jar__eat', ({ onHeld }) => {
      onHeld?.(held('1'));
      return held('1');
    });
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/call', { name: 'jar__eat' });
    const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher'), accept: 'application/json' } });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json()).toMatchObject({ result: { _meta: { 'io.countersign/outcome': { code: 'pending' } } } });
  });

  it('becomes a stream too when the upstream is merely slow', async () => {
    const gate = fakeGate({ timing: { slow: 1, slowWithoutToken: 1, progress: 1 } });
    const { url } = await serveEndpoint(gate.deps);
    const ticks: unknown[] = [];
    for (const meta of [{ progressToken: 't' }, {}]) {
      const next = gate.nextCall('jar__eat');
      const { body, headers } = modern('tools/call', { name: 'jar__eat', _meta: meta });
      const stream = openEvents(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
      const open = await next;
      expect((await stream.headers).headers['content-type']).toBe('text/event-stream');
      if ('progressToken' in meta) ticks.push(await stream.nextMessage());
      open.end(reply({ content: [] }));
      let last = await stream.nextMessage();
      while (last !== undefined && !('id' in (last as object))) last = await stream.nextMessage();
      expect(last).toMatchObject({ id: 1, result: { content: [] } });
    }
    expect(ticks).toMatchObject([{ params: { progressToken: 't', message: 'The call is running.' } }]);
  });

  it('names every decision where a call waits for several', async () => {
    const gate = fakeGate();
    gate.ends.set('jar__eat', () => held('1', '2'));
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/call', { name: 'jar__eat' });
    const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    expect(answer.json()).toMatchObject({
      result: {
        _meta: {
          'io.countersign/decision': { id: decisionId('1') },
          'io.countersign/decisions': [{ id: decisionId('1') }, { id: decisionId('2') }],
        },
      },
    });
  });

  it('ends at once, with the id, when the server stops, in both eras, and is not taken for abandoned', async () => {
    const gate = fakeGate();
    const { url, endpoint } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/call', { name: 'jar__eat' });
    const waiting = [];
    for (const [message, own] of [
      [body, { ...headers, ...bearer('csa_researcher') }],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'jar__eat' } }, await openSession(url, bearer('csa_researcher'))],
    ] as const) {
      const next = gate.nextCall('jar__eat');
      const stream = openEvents(url, message, { headers: own });
      const { call } = await next;
      call.onHeld?.(held('1'));
      await stream.headers;
      waiting.push({ stream, call });
    }
    await endpoint.close();
    for (const { stream, call } of waiting) {
      expect(await stream.nextMessage()).toMatchObject({ result: { _meta: { 'io.countersign/decision': { id: decisionId('1') } } } });
      expect(call.signal.aborted).toBe(false);
    }
    expect((await send(url, body, { headers })).status).toBe(503);
  });

  it('lets a call that is running get its answer before a session ends with the server', async () => {
    const gate = fakeGate();
    const next = gate.nextCall('files__read');
    const { url, endpoint } = await serveEndpoint(gate.deps);
    const session = await openSession(url, bearer('csa_researcher'));
    const answered = send(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'files__read' } }, { headers: session });
    const { call, end } = await next;
    const closing = endpoint.close();
    expect(call.signal.aborted).toBe(false);
    end(reply({ content: [{ type: 'text', text: 'read' }] }));
    expect((await answered).text).toContain('read');
    await closing;
  });
});

describe('a caller that leaves', () => {
  it('aborts the call by closing its stream, in both eras', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const session = await openSession(url, bearer('csa_researcher'));
    const { body, headers } = modern('tools/call', { name: 'jar__eat' });
    for (const [message, own] of [
      [body, { ...headers, ...bearer('csa_researcher') }],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'jar__eat' } }, session],
    ] as const) {
      const next = gate.nextCall('jar__eat');
      const stream = openEvents(url, message, { headers: own });
      const { call, end } = await next;
      const aborted = new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      stream.break();
      await aborted;
      end({ kind: 'refused', code: 'withdrawn', call: CALL_ID, decision: null, reason: 'The caller left.', note: null });
    }
  });

  it('aborts the call by notifications/cancelled in the same session, and gets no answer to it', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const session = await openSession(url, bearer('csa_researcher'));
    const other = await openSession(url, bearer('csa_researcher'));
    const next = gate.nextCall('jar__eat');
    const stream = openEvents(
      url,
      { jsonrpc: '2.0', id: 'same', method: 'tools/call', params: { name: 'jar__eat' } },
      { headers: session },
    );
    const { call } = await next;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } };
    expect((await send(url, cancel, { headers: other })).status).toBe(202);
    expect(call.signal.aborted).toBe(false);
    expect((await send(url, cancel, { headers: session })).status).toBe(202);
    expect(call.signal.aborted).toBe(true);
    expect(await stream.nextMessage()).toBeUndefined();
  });

  it('aborts nothing after the answer is out', async () => {
    const gate = fakeGate();
    gate.ends.set('jar__eat', () => held('1'));
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/call', { name: 'jar__eat' });
    const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher'), connection: 'close' } });
    expect(answer.status).toBe(200);
    expect(gate.calls[0]?.signal.aborted).toBe(false);
  });
});
