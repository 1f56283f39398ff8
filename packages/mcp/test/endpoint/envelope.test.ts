import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { aTool, fakeGate } from './fake-gate.ts';
import { bearer, modern, send, serveEndpoint } from './loopback.ts';

const call = modern('tools/call', { name: 'files__read', arguments: {} });
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
const envelope = (changes: Record<string, unknown>) => ({
  ...call.body,
  params: { ...call.body.params, _meta: { ...call.body.params._meta, ...changes } },
});
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** Each row: what is wrong, the headers, the body, the error that the revision prescribes. */
const CELLS: readonly [string, Record<string, string>, object, number, number][] = [
  ['no MCP-Protocol-Version header', without(call.headers, 'mcp-protocol-version'), call.body, 400, -32020],
  ['another version in the header', { ...call.headers, 'mcp-protocol-version': '2025-11-25' }, call.body, 400, -32020],
  ['no Mcp-Method header', without(call.headers, 'mcp-method'), call.body, 400, -32020],
  ['another Mcp-Method', { ...call.headers, 'mcp-method': 'tools/list' }, call.body, 400, -32020],
  ['no Mcp-Name header', without(call.headers, 'mcp-name'), call.body, 400, -32020],
  ['another Mcp-Name', { ...call.headers, 'mcp-name': 'jar__eat' }, call.body, 400, -32020],
  ['a broken Mcp-Name', { ...call.headers, 'mcp-name': '=?base64?%%%?=' }, call.body, 400, -32020],
  [
    'a revision that nobody serves',
    { ...call.headers, 'mcp-protocol-version': '2027-01-01' },
    envelope({ [VERSION]: '2027-01-01' }),
    400,
    -32022,
  ],
  ['no client capabilities', call.headers, envelope({ 'io.modelcontextprotocol/clientCapabilities': undefined }), 400, -32602],
  ['a version that is no string', call.headers, envelope({ [VERSION]: 20260728 }), 400, -32602],
  ['no envelope under a modern header', call.headers, { ...call.body, params: { name: 'files__read' } }, 400, -32602],
  ['no JSON-RPC message', call.headers, { hello: 'world' }, 400, -32600],
  [
    'initialize under a modern header',
    { ...call.headers, 'mcp-method': 'initialize' },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
    400,
    -32020,
  ],
];

describe('the envelope of a 2026-07-28 request', () => {
  it.each(CELLS)('with %s is refused before the gate', async (_, headers, body, status, code) => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: { code } });
    expect(gate.calls).toEqual([]);
  });

  it.each(CELLS)('with %s is refused as the SDK refuses it', async (_, headers, body) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const sdk = createMcpHandler(() => new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } }), { legacy: 'reject' });
    const theirs = await sdk.fetch(
      new Request(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    );
    const ours = await send(url, body, { headers });
    expect([ours.status, (ours.json() as { error: { code: number } }).error.code]).toEqual([
      theirs.status,
      ((await theirs.json()) as { error: { code: number } }).error.code,
    ]);
  });

  it('names the supported revisions to a client of another', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const answer = await send(url, envelope({ [VERSION]: '2027-01-01' }), {
      headers: { ...call.headers, 'mcp-protocol-version': '2027-01-01' },
    });
    expect(answer.json()).toMatchObject({ error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2027-01-01' } } });
  });

  it('passes with the name in Base64', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const headers = { ...call.headers, 'mcp-name': base64('files__read'), ...bearer('csa_researcher') };
    expect((await send(url, call.body, { headers })).status).toBe(200);
    expect(gate.calls).toHaveLength(1);
  });

  it.each(['resources/list', 'no/such', 'logging/setLevel'])('does not know %s', async (method) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const { body, headers } = modern(method);
    const answer = await send(url, body, { headers });
    expect([answer.status, answer.json()]).toEqual([404, expect.objectContaining({ error: expect.objectContaining({ code: -32601 }) })]);
  });

  it('answers server/discover privately, with the lane in the instructions', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const { body, headers } = modern('server/discover');
    const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_newcomer') } });
    expect(answer.json()).toMatchObject({
      result: {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        instructions: expect.stringContaining('Your lane here is probation.'),
        cacheScope: 'private',
        ttlMs: 5000,
      },
    });
    expect(JSON.stringify(answer.json())).not.toContain('tasks');
  });

  it('passes only trace context of _meta to the gate, and the claim apart from it', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    const meta = { traceparent: '00-1-2-01', baggage: 'a=b', 'evil.example/approved': true, 'io.countersign/context': { goal: 'tidy up' } };
    const { body, headers } = modern('tools/call', { name: 'files__read', _meta: meta });
    await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    expect(gate.calls[0]).toMatchObject({
      meta: { traceparent: '00-1-2-01', baggage: 'a=b' },
      claimed: '{"goal":"tidy up"}',
      hasProgress: false,
    });
    expect(Object.keys(gate.calls[0]?.meta ?? {})).toHaveLength(2);
  });

  it.each([
    ['a name that is no string', { name: 7 }],
    ['no name', {}],
    ['arguments that are a list', { name: 'files__read', arguments: [] }],
    ['arguments that are null', { name: 'files__read', arguments: null }],
  ])('is invalid with %s', async (_, params) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const { body, headers } = modern('tools/call', params);
    const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    expect(answer.json()).toMatchObject({ error: { code: -32602, data: { code: 'input.invalid' } } });
  });
});

describe('headers that mirror arguments', () => {
  const tool = aTool('db__query', {
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        limit: { type: 'integer', 'x-mcp-header': 'Limit' },
        where: { type: 'object', properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } } },
      },
    },
  });
  it.each<[string, object, Record<string, string>, boolean]>([
    [
      'all the same',
      { region: 'eu', limit: 5, where: { tenant: 'añb' } },
      { 'mcp-param-region': 'eu', 'mcp-param-limit': '5.0', 'mcp-param-tenant': base64('añb') },
      true,
    ],
    ['absent arguments', {}, { 'mcp-param-region': 'ignored' }, true],
    ['a null argument', { region: null }, {}, true],
    ['a missing header', { region: 'eu' }, {}, false],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }, false],
    ['another nested value', { where: { tenant: 'a' } }, { 'mcp-param-tenant': 'b' }, false],
    ['broken Base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?*?=' }, false],
  ])('are judged with %s', async (_, args, given, passes) => {
    const gate = fakeGate();
    gate.tools = [tool];
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/call', { name: 'db__query', arguments: args });
    const answer = await send(url, body, { headers: { ...headers, ...given, ...bearer('csa_researcher') } });
    expect(answer.status).toBe(passes ? 200 : 400);
    expect(gate.calls).toHaveLength(passes ? 1 : 0);
    if (!passes) expect(answer.json()).toMatchObject({ error: { code: -32020 } });
  });
});
