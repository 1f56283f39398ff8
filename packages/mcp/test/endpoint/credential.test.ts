import { describe, expect, it } from 'vitest';
import { fakeGate } from './fake-gate.ts';
import { bearer, modern, openSession, send, serveEndpoint } from './loopback.ts';

const list = modern('tools/list');

describe('credentials on the agent endpoint', () => {
  it.each([
    ['an unknown token', 'Bearer csa_nobody'],
    ['another scheme', 'Basic YWRhOnB3'],
    ['no token', 'Bearer '],
    ['two tokens', 'Bearer csa_researcher csa_clerk'],
    ['a token without its scheme', 'csa_researcher'],
  ])('refuses %s with a challenge and never as the anonymous lane', async (_, authorization) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const answer = await send(url, list.body, { headers: { ...list.headers, authorization } });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="countersign", error="invalid_token", resource_metadata="http://127.0.0.1:7420/.well-known/oauth-protected-resource/mcp"',
    );
    expect(answer.headers['countersign-lane']).toBe('none');
    expect(answer.json()).toMatchObject({ error: 'invalid_token', code: 'credential.invalid' });
  });

  it('refuses a credential that was revoked while its session is open', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const headers = await openSession(url, bearer('csa_researcher'));
    gate.callers.delete('csa_researcher');
    const answer = await send(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }, { headers });
    expect(answer.status).toBe(401);
  });

  it('answers 401 when the gate finds that the credential went meanwhile', async () => {
    const gate = fakeGate();
    gate.ends.set('files__read', () => ({
      kind: 'unavailable',
      error: { code: 'credential.invalid', message: 'This credential was revoked.' },
    }));
    const { url } = await serveEndpoint(gate.deps);
    const call = modern('tools/call', { name: 'files__read', arguments: {} });
    const answer = await send(url, call.body, { headers: { ...call.headers, ...bearer('csa_researcher') } });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('invalid_token');
  });

  it.each([
    [undefined, 'anonymous'],
    ['csa_newcomer', 'probation'],
    ['csa_researcher', 'member'],
    ['csp_ada', 'principal'],
  ])('names the lane of %s on every answer', async (secret, lane) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const auth = secret === undefined ? {} : bearer(secret);
    const session = await openSession(url, auth);
    const answers = await Promise.all([
      send(url, list.body, { headers: { ...list.headers, ...auth } }),
      send(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: session }),
      send(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'no_such_tool' } }, { headers: session }),
      send(url, '{"a":', { headers: auth }),
      send(url, undefined, { method: 'DELETE', headers: { ...auth, 'mcp-session-id': 'unknown' } }),
    ]);
    expect(answers.map(({ headers }) => headers['countersign-lane'])).toEqual(Array(5).fill(lane));
  });

  it('asks for the caller anew on every request, and by a fresh look for everything but calls that the gate commits', async () => {
    const asked: [string | null, string][] = [];
    const gate = fakeGate();
    const { resolveCaller } = gate.deps;
    gate.deps = {
      ...gate.deps,
      resolveCaller: (secret, freshness) => {
        asked.push([secret, freshness]);
        return resolveCaller(secret, freshness);
      },
    };
    const { url } = await serveEndpoint(gate.deps);
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'whoami' }],
      ['tools/call', { name: 'files__read' }],
    ] as const) {
      const { body, headers } = modern(method, params);
      await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    }
    expect(asked).toEqual([
      ['csa_researcher', 'current'],
      ['csa_researcher', 'current'],
      ['csa_researcher', 'cached'],
    ]);
  });
});
