import { join } from 'node:path';
import type { Client } from '@countersign/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, approve, pendingOf, readDecision, settledCall } from './answers.ts';
import { type Agent, connectAgent, type Era, heldAs, textOf } from './mcp-clients.ts';
import { bearer, sendRaw } from './raw-http.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';
import { until } from './until.ts';

const counted = join(scratch('people'), 'counted.jsonl');
const executions = (test: string) => executionsIn(counted).filter(({ args }) => args.test === test);
const BRIEF = { ...COUNTER_RULE, id: 'brief', when: 'brief', match: 'has(args.brief)', expires: '1s' };

let host: StartedHost;
let agent: Agent;
let adaToken: string;
let ada: Client;
beforeAll(async () => {
  host = await startHost({ config: aConfig({ servers: { counter: counterServer(counted) }, rules: [COUNTER_RULE, BRIEF] }) });
  agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  adaToken = await host.principalToken('ada');
  ada = host.as(adaToken);
});
const hold = async (args: Readonly<Record<string, unknown>>): Promise<string> => heldAs(await agent.call('counter__increment', args));

describe('an agent’s credential', () => {
  it('can’t answer, extend or refuse, whatever it names itself and whoever its principal is (E1)', async () => {
    const id = await hold({ test: 'self' });
    const decision = await readDecision(ada, id);
    const token = await host.agentToken('researcher');
    const body = JSON.stringify({ version: decision.version, shownDigest: decision.shownDigest, effect: 'approve' });
    const disguises = [
      {},
      { 'user-agent': 'ada' },
      { 'x-principal': 'ada', 'x-forwarded-user': 'ada' },
      { 'countersign-lane': 'principal' },
      { cookie: `countersign_session=${adaToken}` },
    ];
    for (const disguise of disguises) {
      const headers = { 'content-type': 'application/json', ...bearer(token), ...disguise };
      const answered = await sendRaw(`${host.url()}/api/v1/decisions/${id}/answer`, { headers, body });
      expect([answered.status, answered.json()]).toEqual([403, expect.objectContaining({ code: 'credential.forbidden' })]);
    }
    const bulk = JSON.stringify({ answers: [{ id, ...(JSON.parse(body) as object) }] });
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    expect((await sendRaw(`${host.url()}/api/v1/decisions/answers`, { headers, body: bulk })).status).toBe(403);
    expect(
      (
        await sendRaw(`${host.url()}/api/v1/decisions/${id}/extend`, {
          headers,
          body: JSON.stringify({ version: 1, expiresAt: decision.expiresAt }),
        })
      ).status,
    ).toBe(403);
    // An agent that is called like the principal is still an agent, and look-alikes of a name are not given out twice.
    const named = await host.operator().agents.create({ name: 'ada', principal: 'ada' });
    if (named.ok) expect(await answer(host.as(await host.agentToken('ada')), id)).toMatchObject({ ok: false });
    const { code } = await host.cli(['decisions', 'approve', id, '--yes'], token);
    expect(code).toBe(4);
    expect((await readDecision(ada, id)).state).toBe('pending');
    expect(executions('self')).toEqual([]);
  });

  it('leaves its attempts in the log', async () => {
    const { items } = mustBe(await ada.audit.query({ type: ['credential.rejected'], limit: 200 }));
    expect(items.filter(({ actor }) => actor.kind === 'agent').length).toBeGreaterThan(0);
  });
});

describe('the terminal', () => {
  // Built from code points, so that no reader of this file is fooled either.
  const BIDI = String.fromCodePoint(0x202e, 0x2066, 0x200f);
  const HIDDEN = String.fromCodePoint(0x200b, 0x2060, 0xfeff, 0xe0041, 0xad);
  /** What a terminal obeys or does not show, line feeds aside: controls, formats, separators, the invisible alphabet of tags. */
  const obeyed = (text: string): readonly string[] => text.replaceAll('\n', '').match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu) ?? [];
  const EVIL = `\u001b[2J\u001b[1;1H\u001b[32mnothing to see\r${BIDI}evil${HIDDEN}\u0007\u009b31m`;

  it('shows escapes, carriage returns, hidden and reordering characters as such, and the tail behind 100,000 of padding (E2)', async () => {
    const padded = `${'.'.repeat(100_000)} && rm -rf /srv`;
    const id = await hold({ test: 'terminal', note: EVIL, [`key${EVIL}`]: 1, padded });
    const shown = await host.cli(['decisions', 'show', id], adaToken);
    expect(shown.code).toBe(0);
    expect(obeyed(shown.stdout)).toEqual([]);
    expect(shown.stdout).toContain('&& rm -rf /srv');
    expect(shown.stdout).toContain('long value: padded');
    for (const telltale of ['202e', '200b', '001b']) expect(shown.stdout.toLowerCase()).toContain(telltale);
    for (const args of [
      ['decisions', 'list'],
      ['decisions', 'show', id, '--json'],
      ['audit', 'query'],
      ['audit', 'query', '--json'],
    ]) {
      const { stdout, code } = await host.cli(args, adaToken);
      expect([code, obeyed(stdout)]).toEqual([0, []]);
    }
    // What is shown is a picture; what is kept, and would run, is what came.
    const json = JSON.parse((await host.cli(['decisions', 'show', id, '--json'], adaToken)).stdout) as { call: { arguments: object } };
    expect(json.call.arguments).toEqual({ test: 'terminal', note: EVIL, [`key${EVIL}`]: 1, padded });
    const approved = await host.cli(['decisions', 'approve', id], adaToken);
    expect([approved.code, obeyed(approved.stderr), obeyed(approved.stdout)]).toEqual([0, [], []]);
    expect(approved.stderr).toContain('&& rm -rf /srv');
    await settledCall(ada, id);
    expect(executions('terminal').map(({ args }) => args.padded)).toEqual([padded]);
  });
});

describe('a GET', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('%s on any link, by anyone, decides nothing (E3)', async (method) => {
    const id = await hold({ test: 'links', method });
    const { version, shownDigest } = await readDecision(ada, id);
    const login = mustBe(await host.operator().principals.loginLink('ada')).url;
    const query = `effect=approve&version=${version}&shownDigest=${encodeURIComponent(shownDigest)}`;
    const links = [
      `/decisions/${id}`,
      `/decisions/${id}?${query}`,
      `/decisions/${id}/answer?${query}`,
      `/api/v1/decisions/${id}`,
      `/api/v1/decisions/${id}/answer?${query}`,
      `/api/v1/decisions/answers?${query}`,
      `/api/v1/decisions/${id}/withdraw?reason=x`,
      `/api/v1/freeze?reason=x`,
      '/mcp',
      '/',
    ].map((path) => `${host.url()}${path}`);
    const visitors = [{}, bearer(adaToken), bearer(await host.agentToken('researcher')), { cookie: `countersign_session=${adaToken}` }];
    for (const headers of visitors) {
      for (const link of [...links, login]) await sendRaw(link, { method, headers });
    }
    expect(await readDecision(ada, id)).toMatchObject({ state: 'pending', version, answers: [] });
    expect(mustBe(await ada.host.get()).frozen).toBe(false);
    // A scanner that followed the login link used nothing up: the person's own POST still opens a session with it.
    const opened = await sendRaw(login, { headers: { origin: host.url(), 'content-type': 'application/x-www-form-urlencoded' }, body: '' });
    expect([opened.status, String(opened.headers['set-cookie'])]).toEqual([303, expect.stringContaining('HttpOnly')]);
    expect((await sendRaw(login, { headers: { origin: host.url() } })).status).toBe(410);
    expect(executions('links')).toEqual([]);
  });
});

describe('a megabyte of arguments', () => {
  it.each<Era>(['2025-11-25', '2026-07-28'])('is raised by a %s client, listed, shown and approved (E7)', async (era) => {
    const client = await connectAgent(host.mcp(), await host.agentToken('researcher'), era);
    const rows = Array.from({ length: 9000 }, (_, n) => ({ n, text: `Zeile ${n} — ${'ä'.repeat(40)}` }));
    const args = { test: `megabyte ${era}`, rows, tail: 'the end' };
    expect(Buffer.byteLength(JSON.stringify(args))).toBeGreaterThan(1_000_000);
    const id = heldAs(await client.call('counter__increment', args));
    const listed = (await pendingOf(ada)).find((decision) => decision.id === id);
    expect(listed?.call?.arguments).toEqual(args);
    const { stdout } = await host.cli(['decisions', 'show', id], adaToken);
    expect(stdout).toContain('Zeile 8999');
    expect(stdout).toContain('the end');
    const { code } = await host.cli(['decisions', 'approve', id, '--yes'], adaToken);
    expect(code).toBe(0);
    expect(textOf(await client.call('await_decision', { id, wait_seconds: 30 }))).toBe('incremented');
    expect(executions(`megabyte ${era}`).map((execution) => execution.args)).toEqual([args]);
  });
});

describe('history', () => {
  it('stays after expiry and after the agent was suspended and its credentials revoked (E8)', async () => {
    mustBe(await host.operator().agents.create({ name: 'visitor', principal: 'ada' }));
    mustBe(await ada.agents.admit('visitor'));
    const issued = mustBe(await host.operator().agents.issueCredential('visitor'));
    const visitor = await connectAgent(host.mcp(), issued.token);
    const id = heldAs(await visitor.call('counter__increment', { test: 'history', brief: true }));
    const done = heldAs(await visitor.call('counter__increment', { test: 'history' }));
    await approve(ada, done);
    await settledCall(ada, done);
    await until('it expires', async () => (await readDecision(ada, id)).state === 'expired');
    mustBe(await ada.agents.suspend('visitor'));
    mustBe(await host.operator().credentials.revoke(issued.id));

    expect(await readDecision(ada, id)).toMatchObject({
      state: 'expired',
      agent: 'visitor',
      call: { arguments: { test: 'history', brief: true } },
      outcome: { state: 'not_run' },
    });
    expect(await readDecision(ada, done)).toMatchObject({
      state: 'approved',
      answers: [{ principal: 'ada' }],
      outcome: { state: 'done', result: { content: [{ text: 'incremented' }] } },
    });
    const { items } = mustBe(await ada.decisions.list({ agent: 'visitor' }));
    expect(items.map((decision) => decision.id).sort()).toEqual([done, id].sort());
    const events = mustBe(await ada.audit.query({ agent: 'visitor', order: 'oldest', limit: 200 })).items.map(({ type }) => type);
    expect(events).toEqual(
      expect.arrayContaining(['agent.created', 'call.held', 'decision.raised', 'decision.expired', 'call.completed', 'agent.suspended']),
    );
  });
});
