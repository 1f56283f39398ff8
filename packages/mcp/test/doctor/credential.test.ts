/** What the real gate says of a credential, as doctor tells it. */
import type { Scope } from '@countersign/contracts';
import { issueAgentCredential, issuePrincipalToken, revokeCredential, setMandate, suspendAgent } from '@countersign/engine';
import { type EmbeddedStore, openEmbeddedStore } from '@countersign/store';
import { aHost, type TestHost } from '@countersign/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../../src/doctor/examine.ts';
import { serveEndpoint } from '../endpoint/loopback.ts';
import { gateOf } from '../endpoint/real-gate.ts';
import { serveMeddling } from './servers.ts';

const OPERATOR = { operator: true } as const;
const DAY_MS = 86_400_000;
const ALL: readonly Scope[] = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'];

let store: EmbeddedStore;
let host: TestHost;
beforeAll(async () => {
  store = await openEmbeddedStore('memory://');
});
afterAll(() => store.store.close());
beforeEach(async () => {
  host = await aHost({ on: store });
});

async function tokenOf(agent: string, more: { readonly scopes?: Scope[]; readonly ttl_days?: number } = {}) {
  const issued = await issueAgentCredential(host.deps, OPERATOR, agent, { label: '', ...more });
  if (!issued.ok) throw new Error(issued.error.message);
  return issued.value;
}

/** Examined with the clocks of host, endpoint and doctor at one time, so that only the credential is the matter. */
async function examined(token: string | undefined) {
  const { url } = await serveEndpoint(gateOf(host));
  const at = new Date(host.deps.now());
  const origin = await serveMeddling(url, { response: (_, { headers }) => ({ headers: { ...headers, date: at.toUTCString() } }) });
  const report = await examine(origin, { token, now: () => at.getTime() });
  const findings = report.findings.filter(({ code }) => code !== 'host.not_examined');
  return { report, lines: findings.map(({ code, severity, message, fix }) => `${severity} ${code}: ${message} → ${fix}`) };
}

async function narrow(scopes: readonly Scope[]): Promise<void> {
  const set = await setMandate(host.deps, await host.caller('ada'), { scopes: [...scopes], terms: [] }, 1);
  if (!set.ok) throw new Error(set.error.message);
}

describe('a credential that the host refuses', () => {
  it('is told to be unknown', async () => {
    const { lines, report } = await examined(`csa_${'x'.repeat(43)}`);
    expect(lines).toEqual([
      'error token.unknown: This host does not know the token: it was mistyped, or issued by another host or data directory. → Copy it again. Make another: countersign agents token NAME',
    ]);
    expect(report).toMatchObject({ isReached: true, lane: null, eras: [] });
  });

  it('is told to be revoked, and when', async () => {
    const { token, id } = await tokenOf('researcher');
    await revokeCredential(host.deps, OPERATOR, id);
    expect((await examined(token)).lines).toEqual([
      'error token.revoked: This credential was revoked at 2026-11-30T12:00:00.000Z. It opens nothing any more. → Make another: countersign agents token NAME',
    ]);
  });

  it('is told to have expired, and when', async () => {
    const { token } = await tokenOf('researcher', { ttl_days: 1 });
    host.pass(DAY_MS);
    expect((await examined(token)).lines).toEqual([
      'error token.expired: This credential expired at 2026-12-01T12:00:00.000Z. It opens nothing any more. → Make another: countersign agents token NAME',
    ]);
  });

  it("is told to be a suspended agent's", async () => {
    const { token } = await tokenOf('researcher');
    await suspendAgent(host.deps, OPERATOR, 'researcher');
    expect((await examined(token)).lines).toEqual([
      'error agent.suspended: The agent researcher is suspended. Its credentials open nothing until it is admitted again. → Its principal lifts it: countersign agents admit NAME',
    ]);
  });

  it.each([
    ['cso_0123456789', "it is the operator's secret"],
    ['css_0123456789', "it is a browser session's secret"],
    ['csl_0123456789', 'it is the token of a login link'],
    ['csa_two words', 'holds blanks'],
    ['', 'is empty'],
    ['csa_\n', 'other characters that no header can carry'],
  ])('is not sent where it is no token at all: %j', async (token, words) => {
    const asked: (string | null)[] = [];
    const gate = gateOf(host);
    const { url } = await serveEndpoint({
      ...gate,
      resolveCaller: (secret, freshness) => {
        asked.push(secret);
        return gate.resolveCaller(secret, freshness);
      },
    });
    const { findings } = await examine(url.href, { token });
    expect(findings.map(({ code }) => code)).toEqual(['token.malformed']);
    expect(findings[0]?.message).toContain(words);
    expect(asked).toEqual([]);
  });
});

describe('a credential that the host takes', () => {
  it('is healthy where nothing is withheld', async () => {
    const { lines, report } = await examined((await tokenOf('researcher')).token);
    expect(lines).toEqual([]);
    expect(report).toMatchObject({
      lane: 'member',
      why: 'researcher is a member, admitted by ada.',
      agent: 'researcher',
      principal: 'ada',
      tools: { listed: 14, callable: 14, upstream: 4 },
    });
  });

  it('is told apart where the mandate is narrower than the lane', async () => {
    await narrow(['directory:read', 'decisions:write']);
    const { lines, report } = await examined((await tokenOf('researcher')).token);
    expect(lines).toEqual([
      'warning mandate.narrowed: The mandate of ada is narrower than the member lane. Without evidence:write, consult, audit:read, tools:call, these are hidden: file_evidence, ask_agent, next_question, answer_question, query_audit, server__tool. → If that is not meant, ada adds the scopes (countersign mandate set); it holds from the next request on.',
    ]);
    expect(report.tools.missing).toContainEqual({
      name: 'query_audit',
      scope: 'audit:read',
      because: 'the mandate of ada does not have the scope',
    });
  });

  it('is told apart where it was issued with fewer scopes', async () => {
    const { token } = await tokenOf('researcher', { scopes: ['directory:read', 'decisions:write', 'tools:call', 'evidence:write'] });
    const { lines, report } = await examined(token);
    expect(lines).toEqual([
      'warning credential.narrowed: This credential was issued without consult, audit:read, so these are hidden: ask_agent, next_question, answer_question, query_audit. → If that is not meant, make one without --scopes: countersign agents token researcher',
    ]);
    expect(report.tools.missing.map(({ name, because }) => [name, because])).toContainEqual([
      'ask_agent',
      'this credential was issued without the scope',
    ]);
  });

  it('is told its lane and why even where whoami is withheld', async () => {
    await narrow(ALL.filter((scope) => scope !== 'directory:read'));
    const { lines, report } = await examined((await tokenOf('researcher')).token);
    expect(report).toMatchObject({ lane: 'member', why: 'researcher is a member, admitted by ada.', agent: null });
    expect(lines).toEqual([
      expect.stringContaining(
        'mandate.narrowed: The mandate, or this credential, is narrower than the member lane. Without directory:read, these are hidden: whoami, list_agents, list_rules.',
      ),
    ]);
  });

  it('is on probation, and narrowed within it', async () => {
    await narrow(['directory:read', 'decisions:write']);
    const { lines } = await examined((await tokenOf('newcomer')).token);
    expect(lines.map((line) => line.split(':')[0])).toEqual(['warning agent.probation', 'warning mandate.narrowed']);
    expect(lines[1]).toContain('Without evidence:write, these are hidden: file_evidence.');
  });

  it.each([
    [
      2,
      'warning token.expiring: This credential is good until 2026-12-02T12:00:00.000Z, 47 h from now; after that every request is refused. → Make another before then: countersign agents token researcher',
    ],
    [4, undefined],
  ])('is warned of in time before it ends: %i days', async (days, line) => {
    const { token } = await tokenOf('researcher', { ttl_days: days });
    expect((await examined(token)).lines[0]).toBe(line);
  });

  it("is a principal's, with all fifteen tools", async () => {
    const issued = await issuePrincipalToken(host.deps, OPERATOR, 'ada', { label: '' });
    const { lines, report } = await examined(issued.ok ? issued.value.token : '');
    expect(report).toMatchObject({ lane: 'principal', principal: 'ada', tools: { listed: 15, callable: 15, missing: [] } });
    expect(lines.map((line) => line.split(':')[0])).toEqual(['note token.of_principal']);
  });

  it('leaves the tries of hidden names in the record, and nothing else that was done', async () => {
    const { token } = await tokenOf('newcomer');
    const before = (await host.events()).length;
    await examined(token);
    const types = new Set((await host.events()).slice(before));
    expect([...types]).toEqual(['access.rejected']);
  });
});
