import type { CompiledMandate } from '@countersign/core';
import type { Caller } from '@countersign/engine';
import { describe, expect, it } from 'vitest';
import { textOf } from './clients.ts';
import { aCaller, fakeGate } from './fake-gate.ts';
import { bearer, modern, send, serveEndpoint } from './loopback.ts';

const MANDATE = { scopes: ['directory:read', 'tools:call', 'decisions:write'] } as unknown as CompiledMandate;
const EXPIRES_AT = '2026-12-24T18:00:00.000Z';

async function whoamiOf(caller: Caller) {
  const gate = fakeGate();
  gate.callers.set('csa_other', caller);
  const { url } = await serveEndpoint(gate.deps);
  const { body, headers } = modern('tools/call', { name: 'whoami', arguments: {} });
  const answer = await send(url, body, { headers: { ...headers, ...bearer('csa_other') } });
  return (answer.json() as { result: { structuredContent: { missing: object[] } } }).result;
}

describe('whoami', () => {
  it('says until when the credential is good', async () => {
    const caller = aCaller('member', { agent: 'other', principal: 'ada' });
    const { credential } = caller;
    const dated = await whoamiOf({ ...caller, credential: credential && { ...credential, expiresAt: EXPIRES_AT } });
    expect(dated.structuredContent).toMatchObject({ credential: { kind: 'agent', expiresAt: EXPIRES_AT } });
    expect(textOf(dated)).toContain(`Your credential is good until ${EXPIRES_AT}.`);
    const undated = await whoamiOf(caller);
    expect(undated.structuredContent).toMatchObject({ credential: { kind: 'agent', expiresAt: null } });
    expect(textOf(undated)).toContain('good until it is revoked');
  });

  it('tells what a mandate withholds from what the credential and the lane withhold', async () => {
    const caller = aCaller('member', { agent: 'other', principal: 'ada' });
    const result = await whoamiOf({ ...caller, mandate: MANDATE, scopes: ['directory:read', 'decisions:write'] });
    expect(result.structuredContent.missing).toEqual([
      { scope: 'evidence:write', by: 'mandate', why: 'the mandate of ada does not have it' },
      { scope: 'consult', by: 'mandate', why: 'the mandate of ada does not have it' },
      { scope: 'audit:read', by: 'mandate', why: 'the mandate of ada does not have it' },
      { scope: 'mandate:write', by: 'lane', why: expect.stringContaining('never given to an agent') },
      { scope: 'tools:call', by: 'credential', why: 'this credential was issued without it' },
    ]);
  });
});
