import { describe, expect, it } from 'vitest';
import { aTool, fakeGate } from './fake-gate.ts';
import { bearer, modern, openSession, send, serveEndpoint } from './loopback.ts';

/** Names that the newcomer does not have: of an upstream, of ours, and of nobody; the last stands for all that does not exist. */
const NAMES = ['files__read', 'vault__open', 'set_mandate', 'query_audit', 'ask_agent', 'Files__read', 'files__reаd', 'no__such'];

describe('a hidden tool', () => {
  it('answers byte for byte like a tool that does not exist, in both eras (D5)', async () => {
    const gate = fakeGate();
    // A hidden tool that wants headers must not give itself away by asking for them.
    gate.tools = [
      ...gate.tools,
      aTool('vault__open', { inputSchema: { type: 'object', properties: { key: { type: 'string', 'x-mcp-header': 'Key' } } } }),
    ];
    const { url } = await serveEndpoint(gate.deps);
    const auth = bearer('csa_newcomer');
    const session = await openSession(url, auth);
    const answers = new Set<string>();
    for (const name of NAMES) {
      const params = { name, arguments: { key: 'k' } };
      const { body, headers } = modern('tools/call', params);
      const nameHeader = { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` };
      for (const answer of [
        await send(url, body, { headers: { ...headers, ...auth, ...nameHeader } }),
        await send(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers: session }),
      ]) {
        const { date: _, ...rest } = answer.headers;
        answers.add(JSON.stringify([answer.status, { ...rest, 'content-length': 0 }, answer.text.replace(name, 'NAME')]));
      }
    }
    expect([...answers]).toEqual([expect.stringContaining('{\\"code\\":-32602,\\"message\\":\\"Unknown tool: NAME\\"}')]);
  });

  it('takes the same way to the gate, ours or not, so that no clock tells it apart (D5)', async () => {
    const gate = fakeGate();
    const { url } = await serveEndpoint(gate.deps);
    for (const name of ['set_mandate', 'files__read', 'no__such']) {
      const { body, headers } = modern('tools/call', { name });
      await send(url, body, { headers: { ...headers, ...bearer('csa_newcomer') } });
    }
    expect(gate.calls.map(({ tool }) => tool)).toEqual(['set_mandate', 'files__read', 'no__such']);
  });

  it('is in no list', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const { body, headers } = modern('tools/list');
    const { text } = await send(url, body, { headers: { ...headers, ...bearer('csa_newcomer') } });
    expect(text).not.toContain('files__read');
    expect(text).not.toContain('set_mandate');
    const rules = modern('tools/call', { name: 'list_rules', arguments: {} });
    const table = await send(url, rules.body, { headers: { ...rules.headers, ...bearer('csa_researcher') } });
    expect(table.text).not.toContain('vault__open');
  });
});
