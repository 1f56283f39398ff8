import { MandateTerms } from '@countersign/contracts';
import { createAgent, createPrincipal, describeMandate, getMandate, setMandate } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const SCOPES = ['directory:read', 'tools:call', 'decisions:write'] as const;
const FILES = { tool: 'files__*', when: 'files' };

const set = async (on: TestHost, who: string, terms: Partial<MandateTerms>, version = 1) =>
  setMandate(on.deps, await on.caller(who), { scopes: [...SCOPES], terms: [FILES], ...terms }, version);

describe('a mandate', () => {
  it('lets the first of two editors win and tells the other', async () => {
    const on = await host();
    const both = await Promise.all([set(on, 'ada', {}), set(on, 'ada', { terms: [] })]);
    expect(both.filter((one) => one.ok)).toHaveLength(1);
    expect(both.find((one) => !one.ok)).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('not at version 1') },
    });
    expect(await getMandate(on.deps, await on.caller('ada'))).toMatchObject({ value: { version: 2 } });
  });

  it('narrows the very next call of an agent whose credential was there before', async () => {
    const on = await host();
    expect(await on.call('researcher', 'jar__cookie_jar', {})).toMatchObject({ kind: 'reply' });
    await set(on, 'ada', {});
    expect(await on.call('researcher', 'jar__cookie_jar', {})).toMatchObject({
      kind: 'held',
      decisions: [{ answerBy: ['ada'], reasons: ["No term of ada's mandate names jar__cookie_jar."] }],
    });
    expect(await on.call('treasurer', 'jar__cookie_jar', {})).toMatchObject({ kind: 'reply' });
  });

  it('holds nothing back that an open decision was raised under: the call is judged again before it is sent (A2)', async () => {
    const on = await host({ rules: [EAT] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    await set(on, 'ada', {});
    await on.answer('ada', id, {});
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    expect(await on.decisions('ada', 'pending')).toMatchObject([
      { supersedes: id, grounds: expect.arrayContaining([expect.objectContaining({ kind: 'term' })]) },
    ]);
  });

  it('may lock its own principal out, which is told so', async () => {
    const on = await host();
    const locked = await set(on, 'ada', { scopes: [], terms: [] });
    expect(locked).toMatchObject({ ok: true, value: { version: 2 } });
    const warnings = locked.ok ? (locked.value.warnings ?? []) : [];
    expect(warnings.map((text) => text.split(',')[0])).toEqual([
      'Without directory:read',
      'Without tools:call',
      'Without decisions:write',
      'No term is in force: every call of your agents',
    ]);
    expect(await on.call('researcher', 'jar__cookie_jar', {})).toEqual({ kind: 'hidden' });
    expect(await set(on, 'ada', {}, 2)).toMatchObject({ ok: true, value: { version: 3, warnings: [] } });
  });

  it('warns of terms that can’t apply: over already, or of a tool that nobody knows', async () => {
    const on = await host();
    const terms = [FILES, { tool: 'fiels__*', when: 'a slip' }, { tool: 'jar__*', when: 'once', expires_at: '2026-01-01T00:00:00Z' }];
    expect(await set(on, 'ada', { terms })).toMatchObject({
      value: { warnings: [expect.stringContaining('Term 2 names fiels__*'), expect.stringContaining('Term 3 (jar__*) expired')] },
    });
  });

  it('is refused with line and column where an expression does not compile, and nothing changes', async () => {
    const on = await host();
    const end = await set(on, 'ada', { terms: [FILES, { tool: 'jar__*', when: 'few', match: 'args.n < 3 &&\n  foo > 1' }] });
    expect(end).toMatchObject({
      error: {
        code: 'mandate.invalid',
        message: expect.stringContaining('term 2, match, line 2, column 3'),
        detail: { problems: [{ index: 1, line: 2, column: 3 }] },
      },
    });
    expect(await getMandate(on.deps, await on.caller('ada'))).toMatchObject({ value: { version: 1 } });
  });

  it('can’t be set by an agent (D8)', async () => {
    const on = await host();
    expect(await set(on, 'researcher', {})).toMatchObject({ error: { code: 'scope.never_granted' } });
  });

  it('has only scopes that exist, and never mandate:write', () => {
    expect(MandateTerms.safeParse({ scopes: ['tools:cal'] }).error?.issues).toMatchObject([{ path: ['scopes', 0] }]);
    expect(MandateTerms.safeParse({ scopes: ['mandate:write'] }).error?.issues).toMatchObject([
      { path: ['scopes'], message: expect.stringContaining('never given to an agent') },
    ]);
  });

  it('is described as it binds right now: what holds, what is left, what is over', async () => {
    const on = await host({
      terms: [
        FILES,
        { tool: 'jar__*', when: 'twice', uses: 2 },
        { tool: 'ledger__*', when: 'today', match: 'args.amount < 5', expires_at: '2026-12-01T00:00:00.000Z' },
      ],
    });
    await on.call('researcher', 'jar__cookie_jar', {});
    const describeFor = async (name: string) => {
      const described = await describeMandate(on.deps, await on.caller(name));
      if (!described.ok) throw new Error(described.error.message);
      return described.value;
    };
    expect(await describeFor('researcher')).toMatchObject({
      principal: 'ada',
      version: 1,
      lane: 'member',
      withheld: [],
      terms: [
        { tool: 'files__*', state: 'in force', uses: null },
        { tool: 'jar__*', state: 'in force', uses: { limit: 2, left: 1 } },
        { tool: 'ledger__*', state: 'in force', match: 'args.amount < 5' },
      ],
      alsoBoundBy: [],
    });
    on.pass(86_400_000);
    await on.call('researcher', 'jar__cookie_jar', {});
    expect((await describeFor('researcher')).terms.map((term) => term.state)).toEqual(['in force', 'used up', 'expired']);
    const newcomer = await describeFor('newcomer');
    expect(newcomer.scopes).toEqual(['directory:read', 'decisions:write', 'evidence:write']);
    expect(newcomer.withheld).toEqual([
      { scope: 'consult', by: 'lane' },
      { scope: 'audit:read', by: 'lane' },
      { scope: 'tools:call', by: 'lane' },
    ]);
  });
});

describe('names', () => {
  it.each(['researcher', 'resear-cher', 'ada', 'a-da', 'ben', 'researcheг', 'Researcher', 're5earcher', ''])(
    'refuses an agent called %j beside researcher, ada and ben',
    async (name) => {
      const on = await host();
      const made = await createAgent(on.deps, { operator: true }, { name, principal: 'ada', description: '' });
      expect(made.ok ? 'made' : made.error.code).toMatch(/^(agent\.name_taken|input\.invalid)$/);
    },
  );

  it('refuses a principal called like an agent', async () => {
    const on = await host();
    const made = await createPrincipal(on.deps, { operator: true }, { name: 'trea-surer', displayName: 'T' });
    expect(made).toMatchObject({ error: { code: 'agent.name_taken' } });
  });
});

describe('a name', () => {
  it('is taken by one of an agent and a principal that are made at once (E1)', async () => {
    const on = await host();
    const operator = { operator: true } as const;
    for (const [agent, principal] of [
      ['zed', 'zed'],
      ['he1en', 'helen'],
    ] as const) {
      const made = await Promise.all([
        createAgent(on.deps, operator, { name: agent, principal: 'ben', description: '' }),
        createPrincipal(on.deps, operator, { name: principal, displayName: 'Somebody' }),
      ]);
      expect(made.filter(({ ok }) => ok)).toHaveLength(1);
      expect(made.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'agent.name_taken' } });
    }
  });
});
