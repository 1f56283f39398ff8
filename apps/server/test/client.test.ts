import type { AddressInfo } from 'node:net';
import { createClient } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { id, TOKENS } from './fake-host.ts';
import { APPROVE, ROUTES, type TestServer, testServer } from './requests.ts';

let server: TestServer;
let url: string;
const used = new Set<string>();

beforeAll(async () => {
  server = testServer({ settings: { publicUrl: 'http://127.0.0.1' } });
  server.app.addHook('onResponse', async ({ method, routeOptions }) => {
    used.add(`${method} ${routeOptions.url}`);
  });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
});
afterAll(() => server.app.close());

describe('the client', () => {
  it('has a method for each route, and the server takes what it sends', async () => {
    const ada = createClient({ url, token: TOKENS.ada });
    const operator = createClient({ url, token: TOKENS.operator });
    const mine = id('dec', 1);
    const results = [
      await ada.decisions.list({ state: ['pending'], limit: 10 }),
      await ada.decisions.rows({ state: ['pending'], since: '2026-11-01T00:00:00.000Z' }),
      await ada.decisions.get(mine),
      await ada.decisions.extend(mine, { version: 1, expiresAt: '2027-01-01T00:00:00.000Z' }),
      await ada.decisions.withdraw(mine, 'not needed'),
      await ada.decisions.answer(mine, APPROVE),
      await ada.decisions.answerMany({ answers: [{ ...APPROVE, id: mine as never }] }),
      await ada.rules.table(),
      await ada.rules.try({ tool: 'jar__eat', arguments: { amount: 1 } }),
      await ada.tools.get('jar__cookie_jar'),
      await ada.stats({ days: 7, tz: 'Europe/Berlin' }),
      await ada.agents.list({ limit: 5 }),
      await ada.agents.create({ name: 'scout' }),
      await ada.agents.admit('researcher'),
      await ada.agents.suspend('researcher'),
      await ada.agents.credentials('researcher'),
      await ada.agents.issueCredential('researcher', { label: 'x' }),
      await ada.credentials.revoke(id('crd', 5)),
      await operator.principals.list(),
      await operator.principals.create({ name: 'eve', displayName: 'Eve' }),
      await operator.principals.loginLink('ada'),
      await operator.principals.issueToken('ada'),
      await ada.audit.query({ type: ['decision.raised'], order: 'oldest' }),
      await ada.mandate.get(),
      await ada.mandate.set({ scopes: ['tools:call'], terms: [] }, 3),
      await ada.mandate.preview({ scopes: ['tools:call'], terms: [], days: 7 }),
      await ada.host.get(),
      await ada.host.freeze('looking'),
      await ada.host.thaw(),
      await operator.host.reloadConfig(),
      await operator.host.findings(),
      await ada.host.ready(),
      await ada.me(),
      await createClient({ url }).login(TOKENS.ada),
      await ada.logout(),
    ];
    expect(results.filter((result) => !result.ok)).toEqual([]);
    const missing = ROUTES.map(({ method, pattern }) => `${method} ${pattern}`).filter((route) => !used.has(route));
    expect(missing).toEqual(['GET /healthz', 'GET /.well-known/oauth-protected-resource/mcp']);
  });

  it('hears of a change', async () => {
    const stream = createClient({ url, token: TOKENS.ada }).events();
    const first = stream.next();
    await expect.poll(() => used.size > 0 && server.host.listenerCount()).toBe(1);
    const announce = setInterval(
      () => server.host.announce({ type: 'decision', id: 'dec_9', state: 'pending', version: 1, seenBy: ['ada'] }),
      10,
    );
    expect((await first).value).toMatchObject({ type: 'decision', id: 'dec_9', state: 'pending', version: 1 });
    clearInterval(announce);
    await stream.return(undefined);
  });

  it('is told what was refused and why', async () => {
    const result = await createClient({ url, token: TOKENS.researcher }).decisions.answer(id('dec', 1), APPROVE);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'credential.forbidden', status: 403, requestId: expect.stringMatching(/^req_/) },
    });
  });
});
