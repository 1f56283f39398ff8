import { issueAgentCredential, issuePrincipalToken, revokeCredential } from '@countersign/engine';
import { type EmbeddedStore, openEmbeddedStore } from '@countersign/store';
import { aHost, type TestHost, textReply } from '@countersign/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { legacyClient, modernClient, textOf } from './clients.ts';
import { bearer, modern, openEvents, send, serveEndpoint } from './loopback.ts';
import { gateOf } from './real-gate.ts';

const RULES = [
  { id: 'smash', tool: 'jar__smash_jar', reason: 'There is no undo.' },
  { id: 'pay', tool: 'ledger__send_money', effect: 'refuse', reason: 'Nobody pays from here.' },
];

let store: EmbeddedStore;
let host: TestHost;
beforeAll(async () => {
  store = await openEmbeddedStore('memory://');
});
afterAll(() => store.store.close());
beforeEach(async () => {
  host = await aHost({ on: store, rules: RULES });
});

const heldAs = (result: { _meta?: unknown }): string =>
  (result as { _meta: Record<string, { id: string }> })._meta['io.countersign/decision']?.id ?? '';

async function tokenOf(agent: string): Promise<{ token: string; id: string }> {
  const issued = await issueAgentCredential(host.deps, { operator: true }, agent, { label: '' });
  if (!issued.ok) throw new Error(issued.error.message);
  return issued.value;
}

describe.each([
  ['2025', legacyClient],
  ['2026-07-28', (url: URL, secret?: string) => modernClient(url, secret)],
] as const)('the endpoint before the real gate, to a client of %s', (_, connect) => {
  it('runs what is allowed, refuses what a rule refuses, and holds what a rule asks about until the answer', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    const client = await connect(url, (await tokenOf('researcher')).token);
    expect(textOf(await client.callTool({ name: 'files__write_file', arguments: { path: 'a' } }))).toBe('{"path":"a"}');

    const refused = await client.callTool({ name: 'ledger__send_money', arguments: { amount: 1 } });
    expect(refused).toMatchObject({ isError: true, _meta: { 'io.countersign/outcome': { code: 'refused_by_rule' } } });
    expect(textOf(refused)).toContain('Nobody pays from here.');

    const held = await client.callTool({ name: 'jar__smash_jar', arguments: { jar: 7 } });
    const id = heldAs(held);
    expect(textOf(held)).toContain('There is no undo.');
    expect(host.upstreams.seen.map(({ tool }) => tool)).toEqual(['files__write_file']);

    host.upstreams.behave(() => ({ ok: true, value: textReply('smashed') }));
    await host.answer('ada', id, { effect: 'approve' });
    await host.work();
    const later = await connect(url, (await tokenOf('researcher')).token);
    for (const one of [client, later]) expect(textOf(await one.callTool({ name: 'await_decision', arguments: { id } }))).toBe('smashed');
    expect(host.upstreams.seen.at(-1)).toMatchObject({ tool: 'jar__smash_jar', args: { jar: 7 } });
    expect(host.upstreams.seen).toHaveLength(2);
  });

  it('brings the "no" of a person back with the note, and the same call at once', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    const client = await connect(url, (await tokenOf('researcher')).token);
    const held = await client.callTool({ name: 'jar__smash_jar', arguments: {} });
    const id = heldAs(held);
    await host.answer('ada', id, { effect: 'refuse', note: 'not before noon' });
    for (const result of [
      await client.callTool({ name: 'await_decision', arguments: { id } }),
      await client.callTool({ name: 'jar__smash_jar', arguments: {} }),
    ]) {
      expect(result).toMatchObject({ isError: true, _meta: { 'io.countersign/outcome': { code: 'refused_by_principal' } } });
      expect(textOf(result)).toContain('not before noon');
    }
    expect(host.upstreams.seen).toEqual([]);
  });

  it('answers with every tool of our own that it lists', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    const issued = await issuePrincipalToken(host.deps, { operator: true }, 'ada', { label: '' });
    if (!issued.ok) throw new Error(issued.error.message);
    const client = await connect(url, issued.value.token);
    const { tools } = await client.listTools();
    const args: Record<string, Record<string, unknown>> = {
      get_decision: { id: 'dec_none' },
      await_decision: { id: 'dec_none' },
      withdraw_decision: { id: 'dec_none', reason: 'x' },
      set_mandate: { version: 1, scopes: ['tools:call'], terms: [] },
      request_decision: { ask: 'May I?', why: 'I wonder.' },
      file_evidence: { claim: 'I did it.', source: 'manual' },
      ask_agent: { agent: 'researcher', question: 'Are you there?', wait_seconds: 0 },
      next_question: { wait_seconds: 0 },
      answer_question: { consult: 'con_none', answer: 'x' },
    };
    for (const { name } of tools.filter((tool) => !tool.name.includes('__'))) {
      const result = await client.callTool({ name, arguments: args[name] ?? {} });
      expect([name, result.isError ?? false, textOf(result)]).toEqual([
        name,
        /there is no (decision|consult)/.test(textOf(result)),
        expect.any(String),
      ]);
    }
  });
});

describe('the endpoint before the real gate', () => {
  it('takes a held call back when its caller leaves before it knew the id', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    const { token } = await tokenOf('researcher');
    const { body, headers } = modern('tools/call', { name: 'jar__smash_jar', _meta: { progressToken: 1 } });
    const stream = openEvents(url, body, { headers: { ...headers, ...bearer(token) } });
    await stream.nextMessage();
    const [pending] = await host.decisions('ada', 'pending');
    const withdrawn = new Promise<void>((resolve) => {
      host.deps.signals.subscribe('changes', (text) => text.includes('withdrawn') && resolve());
    });
    stream.break();
    await withdrawn;
    expect((await host.decisions('ada')).find(({ id }) => id === pending?.id)?.state).toBe('withdrawn');
  });

  it('leaves a held call alone when its caller leaves after it was told', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    const { body, headers } = modern('tools/call', { name: 'jar__smash_jar' });
    await send(url, body, { headers: { ...headers, ...bearer((await tokenOf('researcher')).token), connection: 'close' } });
    expect(await host.decisions('ada', 'pending')).toHaveLength(1);
  });

  it('refuses a revoked credential on the next call', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    const { token, id } = await tokenOf('researcher');
    const call = async () => {
      const { body, headers } = modern('tools/call', { name: 'files__write_file' });
      return (await send(url, body, { headers: { ...headers, ...bearer(token) } })).status;
    };
    expect(await call()).toBe(200);
    await revokeCredential(host.deps, { operator: true }, id);
    expect(await call()).toBe(401);
    expect(host.upstreams.seen).toHaveLength(1);
  });

  it('records a malformed body', async () => {
    const { url } = await serveEndpoint(gateOf(host));
    await send(url, '{"a":1,"a":2}', { headers: bearer((await tokenOf('researcher')).token) });
    expect(await host.events()).toContain('call.malformed');
  });
});
