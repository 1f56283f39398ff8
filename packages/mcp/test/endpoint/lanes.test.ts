/** DESIGN section 7's table, line by line, asked of the real gate by the clients of both eras. */
import type { Lane, Scope } from '@countersign/contracts';
import {
  admitAgent,
  issueAgentCredential,
  issuePrincipalToken,
  openSession,
  revokeCredential,
  setMandate,
  suspendAgent,
} from '@countersign/engine';
import { type EmbeddedStore, openEmbeddedStore } from '@countersign/store';
import { aHost, type TestHost } from '@countersign/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { legacyClient, modernClient } from './clients.ts';
import { bearer, modern, send, serveEndpoint } from './loopback.ts';
import { gateOf } from './real-gate.ts';

/** Tool, the scope that registers it, and the lanes that have it. */
const TABLE: readonly (readonly [string, Scope, readonly Lane[]])[] = [
  ...['whoami', 'list_agents', 'list_rules'].map(
    (tool) => [tool, 'directory:read', ['anonymous', 'probation', 'member', 'principal']] as const,
  ),
  ...['my_mandate', 'request_decision', 'list_decisions', 'get_decision', 'await_decision', 'withdraw_decision'].map(
    (tool) => [tool, 'decisions:write', ['probation', 'member', 'principal']] as const,
  ),
  ['file_evidence', 'evidence:write', ['probation', 'member', 'principal']],
  ...['ask_agent', 'next_question', 'answer_question'].map((tool) => [tool, 'consult', ['member', 'principal']] as const),
  ['query_audit', 'audit:read', ['member', 'principal']],
  ['set_mandate', 'mandate:write', ['principal']],
  ['jar__cookie_jar', 'tools:call', ['member', 'principal']],
];
const COUNTS: Record<Lane, number> = { anonymous: 3, probation: 10, member: 14, principal: 15 };
const CLIENTS = [
  ['2025', legacyClient],
  ['2026-07-28', (url: URL, secret?: string) => modernClient(url, secret)],
] as const;

let store: EmbeddedStore;
let host: TestHost;
beforeAll(async () => {
  store = await openEmbeddedStore('memory://');
});
afterAll(() => store.store.close());
beforeEach(async () => {
  host = await aHost({ on: store, tools: { jar__cookie_jar: {} } });
});

/** Lists that no client keeps: what is asked here is what the server says now. */
const gate = () => ({ ...gateOf(host), timing: { listTtl: 0 } });

const issued = async (agent: string, scopes?: Scope[]) => {
  const credential = await issueAgentCredential(host.deps, { operator: true }, agent, { label: '', ...(scopes && { scopes }) });
  if (!credential.ok) throw new Error(credential.error.message);
  return credential.value;
};

async function secretOf(lane: Lane): Promise<string | undefined> {
  if (lane === 'anonymous') return undefined;
  if (lane !== 'principal') return (await issued(lane === 'member' ? 'researcher' : 'newcomer')).token;
  const principal = await issuePrincipalToken(host.deps, { operator: true }, 'ada', { label: '' });
  return principal.ok ? principal.value.token : undefined;
}

const narrow = async (scopes: Scope[], version = 1) =>
  setMandate(host.deps, await host.caller('ada'), { scopes, terms: [{ tool: '*', when: 'anything' }] }, version);

describe.each(CLIENTS)('to a client of %s', (_, connect) => {
  const namesFor = async (url: URL, secret?: string) => {
    const client = await connect(url, secret);
    return async () => (await client.listTools()).tools.map(({ name }) => name).sort();
  };

  it.each(Object.keys(COUNTS) as Lane[])('the lane %s has exactly its tools, and whatever else is named is no tool', async (lane) => {
    const { url } = await serveEndpoint(gate());
    const client = await connect(url, await secretOf(lane));
    const { tools } = await client.listTools();
    const expected = TABLE.filter(([, , lanes]) => lanes.includes(lane)).map(([tool]) => tool);
    expect(tools.map(({ name }) => name).sort()).toEqual([...expected].sort());
    expect(tools.filter(({ name }) => !name.includes('__'))).toHaveLength(COUNTS[lane]);
    for (const [tool, , lanes] of TABLE) {
      const call = client.callTool({ name: tool, arguments: {} });
      if (lanes.includes(lane)) expect(await call).toHaveProperty('content');
      else await expect(call).rejects.toThrow(`Unknown tool: ${tool}`);
    }
  });

  it.each(TABLE)('%s goes with the scope %s from the credential and from the mandate alike', async (tool, scope, lanes) => {
    if (!lanes.includes('member')) return expect(scope).toBe('mandate:write');
    const { url } = await serveEndpoint(gate());
    const all = [...(await host.caller('researcher')).scopes];
    const without = all.filter((other) => other !== scope);
    const [whole, part] = [
      await namesFor(url, (await issued('researcher')).token),
      await namesFor(url, (await issued('researcher', without)).token),
    ];
    expect(await whole()).toContain(tool);
    expect(await part()).not.toContain(tool);
    await narrow(without);
    expect(await whole()).not.toContain(tool);
    await narrow(all, 2);
    expect(await whole()).toContain(tool);
  });

  it('an agent that is admitted has its new tools on the connection that stands, and none when it is suspended', async () => {
    const { url } = await serveEndpoint(gate());
    const client = await connect(url, (await issued('newcomer')).token);
    const count = async () => (await client.listTools()).tools.length;
    expect(await count()).toBe(10);
    await admitAgent(host.deps, { caller: await host.caller('ada') }, 'newcomer');
    expect(await count()).toBe(15);
    expect(await client.callTool({ name: 'jar__cookie_jar', arguments: {} })).toHaveProperty('content');
    await suspendAgent(host.deps, { caller: await host.caller('ada') }, 'newcomer');
    await expect(client.listTools()).rejects.toThrow(/suspended|401|Unauthorized/i);
    await expect(client.callTool({ name: 'jar__cookie_jar', arguments: {} })).rejects.toThrow();
    expect(host.upstreams.seen).toHaveLength(1);
  });
});

describe('a credential', () => {
  const status = async (url: URL, secret: string) => {
    const { body, headers } = modern('tools/list', {});
    return send(url, body, { headers: { ...headers, ...bearer(secret) } });
  };

  it('that is wrong, expired or revoked is a 401 with its challenge, and never the anonymous lane', async () => {
    const { url } = await serveEndpoint(gate());
    const revoked = await issued('researcher');
    await revokeCredential(host.deps, { operator: true }, revoked.id);
    const expired = await issued('researcher');
    host.pass(91 * 86_400_000);
    for (const secret of ['csa_wrong', revoked.token, expired.token]) {
      const answer = await status(url, secret);
      expect(answer.status).toBe(401);
      expect(answer.headers['countersign-lane']).toBe('none');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*resource_metadata=/);
    }
  });

  it('of a browser session is a 401 here: it lives in its cookie, and whoever shows it took it from there', async () => {
    const { url } = await serveEndpoint(gate());
    const session = await openSession(host.deps, 'ada');
    expect(await status(url, session.secret)).toMatchObject({ status: 401, headers: { 'countersign-lane': 'none' } });
  });

  it('never has mandate:write, and asking for it says why', async () => {
    const refused = await issueAgentCredential(host.deps, { operator: true }, 'researcher', {
      label: '',
      scopes: ['tools:call', 'mandate:write'],
    });
    expect(refused).toMatchObject({ error: { code: 'scope.never_granted', message: expect.stringContaining('does not act under terms') } });
  });
});
