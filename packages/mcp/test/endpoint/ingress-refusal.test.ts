import { describe, expect, it } from 'vitest';
import { fakeGate } from './fake-gate.ts';
import { bearer, modern, send, serveEndpoint } from './loopback.ts';

const call = (args: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__read","arguments":${args}}}`;

describe('bodies that break a bound', () => {
  it.each([
    ['is not JSON', '{"jsonrpc":', -32700, 'ingress.not_json', 400],
    ['is empty', '', -32700, 'ingress.not_json', 400],
    ['is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), -32700, 'ingress.not_utf8', 400],
    ['names a key twice', call('{"a":1,"a":2}'), -32600, 'ingress.duplicate_key', 400],
    [
      'differs by case in the envelope',
      '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
      -32600,
      'ingress.duplicate_key',
      400,
    ],
    ['has a forbidden key', call('{"a":{"__proto__":{}}}'), -32600, 'ingress.forbidden_key', 400],
    ['has an unsafe integer', call('{"n":12345678901234567890}'), -32600, 'ingress.unsafe_number', 400],
    ['overflows', call('{"n":1e400}'), -32600, 'ingress.unsafe_number', 400],
    ['has half a surrogate pair', call('{"s":"\\ud800"}'), -32600, 'ingress.bad_text', 400],
    ['is too deep', call(`{"a":${'['.repeat(70)}${']'.repeat(70)}}`), -32600, 'ingress.too_deep', 400],
    ['is a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, 'ingress.batch', 400],
    ['is too large', call(`{"s":"${'x'.repeat(5000)}"}`), -32600, 'ingress.too_large', 413],
  ])('is refused and recorded when it %s', async (_, body, rpc, code, status) => {
    const gate = fakeGate({ bounds: { maxBytes: 4096 } });
    const { url } = await serveEndpoint(gate.deps);
    const answer = await send(url, body, { headers: bearer('csa_researcher') });
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: rpc, data: { code, place: { offset: expect.any(Number) } } },
    });
    expect(gate.malformed.map((one) => [one.caller.agent?.name, one.code])).toEqual([['researcher', code]]);
    expect(gate.calls).toEqual([]);
  });

  it('names the place', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const answer = await send(url, call('{"a":{"b":[1,{"n":12345678901234567890}]}}'));
    expect(answer.json()).toMatchObject({ error: { data: { place: { pointer: '/params/arguments/a/b/1/n' } } } });
  });

  it('refuses a chunked body over the bound without keeping it', async () => {
    const gate = fakeGate({ bounds: { maxBytes: 1000 } });
    const { url } = await serveEndpoint(gate.deps);
    const body = Buffer.from(call(`{"s":"${'x'.repeat(100_000)}"}`));
    const answer = await send(url, body, { isChunked: true });
    expect(answer.status).toBe(413);
    expect(gate.malformed.map(({ code }) => code)).toEqual(['ingress.too_large']);
  });

  it('is refused even where the refusal can not be recorded', async () => {
    const gate = fakeGate({ recordMalformed: () => Promise.reject(new Error('the disk is full')) });
    const { url } = await serveEndpoint(gate.deps);
    const answer = await send(url, '{');
    expect([answer.status, answer.text.includes('disk')]).toEqual([400, false]);
    expect(gate.logged.map(({ level }) => level)).toContain('error');
  });

  it('refuses another media type, so that no page can post here without a preflight', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect((await send(url, '{}', { headers: { 'content-type': type } })).status).toBe(415);
    }
  });

  it.each(['PUT', 'PATCH', 'OPTIONS'])('does not know %s', async (method) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const answer = await send(url, undefined, { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, DELETE']);
  });

  it('has neither GET nor DELETE in revision 2026-07-28', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(url, undefined, { method, headers: { 'mcp-protocol-version': '2026-07-28' } });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    }
  });

  it('tells nothing of an unexpected failure but a request id', async () => {
    const gate = fakeGate({
      resolveCaller: () => Promise.reject(new Error('password authentication failed for user "countersign"')),
    });
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/list');
    const answer = await send(url, body, { headers });
    expect(answer.status).toBe(500);
    expect(answer.json()).toMatchObject({
      error: { code: -32603, message: 'Internal error', data: { code: 'internal', requestId: expect.any(String) } },
    });
    expect(answer.text).not.toContain('password');
    expect(gate.logged).toHaveLength(1);
  });
});
