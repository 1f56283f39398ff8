import { describe, expect, it } from 'vitest';
import { legacyClient, modernClient, textOf } from './clients.ts';
import { fakeGate } from './fake-gate.ts';
import { serveEndpoint } from './loopback.ts';

const CLIENTS = [
  ['2025, v1 client', legacyClient],
  ['2026-07-28, v2 client pinned', (url: URL, secret?: string) => modernClient(url, secret)],
  ['v2 client, auto', (url: URL, secret?: string) => modernClient(url, secret, 'auto')],
] as const;

describe.each(CLIENTS)('the agent endpoint to a client of %s', (_, connect) => {
  it.each([
    [undefined, 'anonymous', 3, 0],
    ['csa_newcomer', 'probation', 10, 0],
    ['csa_researcher', 'member', 14, 2],
    ['csp_ada', 'principal', 15, 2],
  ])('lists and answers what the lane of %s has', async (secret, lane, own, upstream) => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const client = await connect(url, secret);
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name.includes('__'))).toHaveLength(upstream);
    expect(tools.filter(({ name }) => !name.includes('__'))).toHaveLength(own);
    const result = await client.callTool({ name: 'whoami', arguments: {} });
    expect(result.structuredContent).toMatchObject({ lane, tools: { own, upstream } });
    expect(client.getInstructions()).toContain(`Your lane here is ${lane}.`);
    expect(client.getServerVersion()).toMatchObject({ name: 'countersign' });
  });

  it('hands the frozen arguments to the gate and the result back as it came', async () => {
    const gate = fakeGate();
    const result = {
      content: [{ type: 'text', text: 'ok' }],
      structuredContent: { a: [1, '', { b: null }] },
      _meta: { 'x.example/kept': true },
    };
    gate.ends.set('files__read', () => ({ kind: 'reply', call: 'call_0', reply: { kind: 'result', result }, decisions: [] }));
    const { url } = await serveEndpoint(gate.deps);
    const client = await connect(url, 'csa_researcher');
    const answer = await client.callTool({ name: 'files__read', arguments: { path: 'a', deep: { n: 5, s: '5' } } });
    expect(answer).toMatchObject(result);
    expect(gate.calls[0]?.args).toEqual({ path: 'a', deep: { n: 5, s: '5' } });
    expect(Object.isFrozen(gate.calls[0]?.args.deep)).toBe(true);
  });

  it('answers a hidden tool like one that does not exist', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const client = await connect(url, 'csa_newcomer');
    await expect(client.callTool({ name: 'files__read', arguments: {} })).rejects.toThrow('Unknown tool: files__read');
    await expect(client.callTool({ name: 'set_mandate', arguments: {} })).rejects.toThrow('Unknown tool: set_mandate');
  });

  it('names what is wrong with the arguments of our own tools in a result', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const client = await connect(url, 'csa_researcher');
    const result = await client.callTool({ name: 'await_decision', arguments: { id: 7, extra: true } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('id:');
  });
});
