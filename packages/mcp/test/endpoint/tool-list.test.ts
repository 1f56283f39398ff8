import { describe, expect, it } from 'vitest';
import { legacyClient, modernClient } from './clients.ts';
import { aTool, fakeGate } from './fake-gate.ts';
import { bearer, modern, openSession, send, serveEndpoint } from './loopback.ts';

const odd = aTool('srv__odd', {
  title: 'Odd',
  annotations: { readOnlyHint: true, 'x-unknown': [1] },
  'x-vendor': { kept: true },
  _meta: { 'v.example/a': 1 },
  execution: { taskSupport: 'required' },
  inputSchema: { type: 'object', properties: { p: { type: 'string', pattern: '^a' } }, $defs: { q: { type: 'null' } } },
});
const listOf = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
type List = { result: { tools: { name: string }[] } };

describe('tools/list', () => {
  it('carries definitions as they were pinned, under our name, but for what speaks of the other hop', async () => {
    const gate = fakeGate();
    gate.tools = [odd];
    const { url } = await serveEndpoint(gate.deps);
    const session = await openSession(url, bearer('csa_researcher'));
    const { execution: _, ...definition } = odd.definition;
    const legacy = await send(url, listOf, { headers: session });
    const { body, headers } = modern('tools/list');
    const now = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
    for (const answer of [legacy, now]) expect((answer.json() as List).result.tools.at(-1)).toEqual({ ...definition, name: 'srv__odd' });
  });

  it('has the same order whatever order tools were found in', async () => {
    const names = async (keys: string[]) => {
      const gate = fakeGate();
      gate.tools = keys.map((key) => aTool(key));
      const { url } = await serveEndpoint(gate.deps);
      const { body, headers } = modern('tools/list');
      const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } });
      return (answer.json() as List).result.tools.map(({ name }) => name);
    };
    const sorted = await names(['a__b', 'a__c', 'b__a', 'B__a']);
    expect(await names(['b__a', 'B__a', 'a__c', 'a__b'])).toEqual(sorted);
    expect(sorted.slice(0, 3)).toEqual(['whoami', 'list_agents', 'list_rules']);
  });

  it('is private and short-lived in 2026-07-28, and plain before', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const { body, headers } = modern('tools/list');
    expect((await send(url, body, { headers })).json()).toMatchObject({
      id: 1,
      result: { cacheScope: 'private', ttlMs: 5000, resultType: 'complete' },
    });
    const legacy = (await send(url, listOf, { headers: await openSession(url) })).json() as List;
    expect(Object.keys(legacy.result)).toEqual(['tools']);
  });

  it('has one page', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const { body, headers } = modern('tools/list', { cursor: 'x' });
    expect((await send(url, body, { headers })).json()).toMatchObject({ error: { code: -32602 } });
  });

  it.each([
    ['2025', legacyClient],
    ['2026-07-28', (url: URL, secret?: string) => modernClient(url, secret)],
  ])('with a result schema that is no object, does not cost a client of %s the whole list', async (_, connect) => {
    const gate = fakeGate();
    gate.tools = [aTool('srv__list', { outputSchema: { type: 'array', items: { type: 'number' } } }), aTool('srv__plain')];
    gate.ends.set('srv__list', () => ({
      kind: 'reply',
      call: 'call_0',
      reply: { kind: 'result', result: { content: [{ type: 'text', text: '[1]' }], structuredContent: [1], resultType: 'complete' } },
      decisions: [],
    }));
    const { url } = await serveEndpoint(gate.deps);
    const client = await connect(url, 'csa_researcher');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['srv__list', 'srv__plain']));
    const result = await client.callTool({ name: 'srv__list', arguments: {} });
    expect([[1], { result: [1] }]).toContainEqual(result.structuredContent);
  });

  it('answers a hundred callers at once from what was serialised once', async () => {
    const gate = fakeGate();
    gate.tools = Array.from({ length: 500 }, (_, n) => aTool(`srv__tool-${n}`, { description: 'x'.repeat(500) }));
    let serialised = 0;
    gate.tools = gate.tools.map((tool) => ({
      ...tool,
      definition: {
        ...tool.definition,
        toJSON: undefined,
        get title() {
          serialised += 1;
          return 'T';
        },
      },
    }));
    const { url } = await serveEndpoint(gate.deps);
    const { body, headers } = modern('tools/list');
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => send(url, body, { headers: { ...headers, ...bearer('csa_researcher') } })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(serialised).toBe(500);
  });
});
