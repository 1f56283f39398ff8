import { Config, type Finding } from '@countersign/contracts';
import type { TestHost } from '@countersign/testkit';
import { expect, test } from 'vitest';
import {
  admitAgent,
  findFindings,
  freezeHost,
  issueLoginLink,
  issuePrincipalToken,
  openSession,
  revokeCredential,
  setMandate,
  suspendAgent,
  syncTools,
  type UpstreamStatus,
} from '../src/index.ts';
import { EAT, SMASH, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const OPERATOR = { operator: true } as const;
const NO_FILE = {};
const MANDATE = {
  scopes: ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'],
  terms: [{ tool: '*', when: 'anything' }],
};
/** What `aHost` was seeded from. */
const SEEDED = {
  principals: { ada: { name: 'Ada Marsh', mandate: MANDATE }, ben: { name: 'Ben Ortiz', mandate: MANDATE } },
  agents: {
    researcher: { principal: 'ada', status: 'member', description: 'Finds things out' },
    newcomer: { principal: 'ada', status: 'probation' },
    treasurer: { principal: 'ben', status: 'member' },
  },
} as const;

async function found(on: TestHost, code: Finding['code'], file: object = NO_FILE): Promise<readonly Finding[]> {
  const { findings } = await findFindings(on.deps, OPERATOR, Config.parse(file));
  return findings.filter((finding) => finding.code === code);
}

async function logIn(on: TestHost, ...names: readonly string[]): Promise<void> {
  for (const name of names) await openSession(on.deps, name);
}

const withUpstreams = (on: TestHost, ...statuses: readonly Partial<UpstreamStatus>[]): TestHost => ({
  ...on,
  deps: {
    ...on.deps,
    upstreams: {
      ...on.upstreams,
      status: () =>
        statuses.map((status) => ({ server: 'jar', state: 'ready', since: '2026-11-30T11:00:00.000Z', tools: 2, refused: [], ...status })),
    },
  },
});

test('finds nothing but the unsealed tail on a host where all is well', async () => {
  const on = withUpstreams(await host({ rules: [EAT, SMASH] }), {});
  await logIn(on, 'ada', 'ben');
  const { checkedAt, findings } = await findFindings(on.deps, OPERATOR, Config.parse(SEEDED));
  expect(checkedAt).toBe('2026-11-30T12:00:00.000Z');
  expect(findings).toEqual([expect.objectContaining({ code: 'audit.unsealed', severity: 'note' })]);
  expect(findings[0]?.message).toMatch(/^\d+ audit events are recorded and not sealed\. This version does not seal yet/);
});

test('finds a rule that no principal of this host can answer (C10)', async () => {
  const on = await host({
    rules: [
      { ...EAT, answer_by: ['cleo', 'dora'] },
      { ...SMASH, answer_by: ['cleo', 'ben'] },
    ],
  });
  expect(await found(on, 'rule.nobody_can_answer')).toEqual([
    expect.objectContaining({ severity: 'error', message: expect.stringContaining('The rule eat is answered by cleo or dora') }),
  ]);
});

test('finds rules that need more approvals than there are people to give them', async () => {
  const on = await host({
    rules: [
      { ...EAT, needs: 2 },
      { ...SMASH, answer_by: ['ada', 'ben', 'cleo'], needs: 3 },
      { id: 'both', tool: 'files__*', answer_by: ['ada', 'ben'], needs: 2 },
      { id: 'never-asks', tool: 'ledger__*', effect: 'refuse', needs: 2 },
      { id: 'holds-nothing', tool: 'ledger__*', mode: 'shadow', needs: 2 },
    ],
  });
  expect((await found(on, 'rule.needs_too_many')).map(({ message }) => message)).toEqual([
    expect.stringContaining("The rule eat needs 2 approvals, and only the agent's own principal answers it"),
    expect.stringContaining('The rule smash needs 3 approvals, and only ada and ben may answer it'),
  ]);
});

test('finds rules whose pattern names no known tool, and keeps silent about servers that never connected', async () => {
  const rules = [
    EAT,
    { id: 'misspelt', tool: 'jar__cookie_jra' },
    { id: 'glob', tool: 'jar__*' },
    { id: 'gone', tool: 'mail__*' },
    { id: 'of-a-late-one', tool: 'git__push' },
    { id: 'maybe-late', tool: 'g*' },
    { id: 'not-late', tool: 'h*' },
  ];
  const on = withUpstreams(await host({ rules }), {}, { server: 'git', state: 'down', tools: 0 });
  expect((await found(on, 'rule.never_matches')).map(({ message }) => message.split(' ')[2])).toEqual(['misspelt', 'gone', 'not-late']);
});

test('finds entries of tools that hold for no tool, worst where they should hide something', async () => {
  const hides = { redact: ['args.password'], idempotent: false };
  const tools = {
    jar__cookie_jar: hides,
    'files__*': { redact: [], idempotent: true },
    'jar__cookie.jar': hides,
    mail__send: { redact: [], idempotent: true },
    git__push: hides,
  };
  const on = withUpstreams(await host({ config: { tools } }), {}, { server: 'git', state: 'down', tools: 0 });
  expect((await found(on, 'config.names_no_tool')).map(({ severity, message }) => [severity, message.split(' ')[0]])).toEqual([
    ['error', 'tools.jar__cookie.jar'],
    ['warning', 'tools.mail__send'],
  ]);
});

test('tells twenty of many and the number of the rest', async () => {
  const rules = Array.from({ length: 50 }, (_, n) => ({ id: `rule-${n}`, tool: `mail__send_${n}` }));
  const findings = await found(await host({ rules }), 'rule.never_matches');
  expect(findings).toHaveLength(21);
  expect(findings.at(-1)?.message).toBe('30 more rules name no known tool.');
});

test('finds upstream servers that are down, with the reason and what stays listed, and tools that were not registered', async () => {
  const on = withUpstreams(
    await host(),
    { server: 'files', state: 'down', error: 'spawn npx ENOENT', tools: 3 },
    { server: 'ledger', state: 'connecting', tools: 0 },
    { server: 'jar', refused: [{ name: 'Eat', reason: 'It differs from eat only by case.' }] },
  );
  expect((await found(on, 'upstream.down')).map(({ message }) => message)).toEqual([
    'The upstream server files is down since 2026-11-30T11:00:00.000Z. spawn npx ENOENT Its 3 tools stay listed, and their calls fail.',
    'The upstream server ledger is being connected to since 2026-11-30T11:00:00.000Z. None of its tools is listed.',
  ]);
  expect((await found(on, 'upstream.tool_refused')).map(({ message }) => message)).toEqual([expect.stringContaining('jar')]);
});

test('finds a quarantined tool', async () => {
  const on = await host();
  on.upstreams.redefine('jar__cookie_jar', { description: 'now it mails' });
  await syncTools(on.deps);
  expect(await found(on, 'tool.quarantined')).toEqual([expect.objectContaining({ message: expect.stringContaining('jar__cookie_jar') })]);
});

test('finds principals who hold neither a session nor a token, a link that nobody used being neither', async () => {
  const on = await host();
  expect(await found(on, 'principal.unreachable')).toEqual([
    expect.objectContaining({ severity: 'error', message: expect.stringContaining('nobody to notify') }),
  ]);
  await issueLoginLink(on.deps, OPERATOR, 'ben');
  const token = await issuePrincipalToken(on.deps, OPERATOR, 'ada', { label: '' });
  expect(await found(on, 'principal.unreachable')).toEqual([
    expect.objectContaining({ severity: 'warning', message: expect.stringMatching(/^ben has neither/) }),
  ]);
  await logIn(on, 'ben');
  expect(await found(on, 'principal.unreachable')).toEqual([]);
  if (token.ok) await revokeCredential(on.deps, OPERATOR, token.value.id);
  expect((await found(on, 'principal.unreachable'))[0]?.message).toMatch(/^ada has neither/);
  on.pass(13 * 3_600_000);
  expect((await found(on, 'principal.unreachable'))[0]?.message).toContain('nobody to notify');
});

test('finds a frozen host and says who froze it', async () => {
  const on = await host();
  await freezeHost(on.deps, { caller: await on.caller('ada') }, 'looking into it');
  expect(await found(on, 'host.frozen')).toEqual([
    expect.objectContaining({ message: expect.stringContaining('by ada (looking into it)') }),
  ]);
});

test('finds no drift where the file says what the database holds, in whatever order the scopes stand', async () => {
  const on = await host();
  const turned = { ...MANDATE, scopes: [...MANDATE.scopes].reverse() };
  expect(await found(on, 'config.drift', { ...SEEDED, principals: { ada: { name: 'Ada', mandate: turned } } })).toEqual([]);
});

test('warns of an edit to the file that has no effect, and notes where the database moved on', async () => {
  const on = await host();
  const narrow = { ...MANDATE, terms: [] };
  await setMandate(on.deps, await on.caller('ben'), { ...MANDATE, scopes: ['directory:read'], terms: [] }, 1);
  await admitAgent(on.deps, OPERATOR, 'newcomer');
  await suspendAgent(on.deps, OPERATOR, 'treasurer');
  const file = {
    principals: { ada: { name: 'Ada', mandate: narrow }, ben: SEEDED.principals.ben, cleo: { name: 'Cleo' } },
    agents: { ...SEEDED.agents, researcher: { ...SEEDED.agents.researcher, principal: 'ben' }, courier: { principal: 'ada' } },
  };
  const drift = await found(on, 'config.drift', file);
  expect(drift.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    "warning: The file's mandate of ada was edited after the first start, and that edit is not in force.",
    expect.stringMatching(/^note: The mandate of ben in force is version 2, made by ben at /),
    expect.stringMatching(/^warning: The file has the principal cleo, who was never made/),
    expect.stringMatching(/^warning: The file says that researcher acts for ben; it acts for ada/),
    'note: The file says that newcomer is on probation; it is a member, which is what counts.',
    'note: The file says that treasurer is a member; it is suspended, which is what counts.',
    expect.stringMatching(/^warning: The file has the agent courier/),
  ]);
});

test("tells a principal of drift in its own things and not in another's", async () => {
  const on = await host();
  const other = { name: 'x', mandate: { scopes: [], terms: [] } };
  const file = Config.parse({
    principals: { ada: other, ben: other },
    agents: { ...SEEDED.agents, treasurer: { principal: 'ben', status: 'member', description: 'Pays' } },
  });
  const { findings } = await findFindings(on.deps, { caller: await on.caller('ada') }, file);
  const drift = findings.filter(({ code }) => code === 'config.drift').map(({ message }) => message);
  expect(drift).toEqual([expect.stringContaining('mandate of ada')]);
});
