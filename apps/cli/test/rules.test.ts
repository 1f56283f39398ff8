import { afterEach, expect, test } from 'vitest';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { runCli } from './run-cli.ts';

const TABLE = {
  digest: `sha256:${'0'.repeat(64)}`,
  rules: [
    {
      order: 1,
      id: 'eat',
      tool: 'jar__cookie_jar',
      when: 'eaten',
      reason: 'Gone.',
      effect: 'ask',
      match: null,
      answerBy: ['ada', 'ben'],
      needs: 2,
      mode: 'enforce',
      expiresMs: 14_400_000,
    },
    {
      order: 2,
      id: 'smash',
      tool: 'jar__smash_jar',
      when: 'always',
      reason: 'Gone.',
      effect: 'refuse',
      match: null,
      answerBy: [],
      needs: 1,
      mode: 'shadow',
      expiresMs: 1,
    },
  ],
  tools: [{ tool: 'jar__cookie_jar', state: 'quarantined', verdict: 'depends', rules: ['eat'] }],
};
const REPORT = {
  effect: 'ask',
  grounds: [
    {
      kind: 'rule',
      rule: 'eat',
      effect: 'ask',
      reason: 'Gone.',
      answerBy: ['ada'],
      needs: 1,
      expiresMs: 1,
      irreversible: false,
      mode: 'enforce',
    },
  ],
  considered: [{ kind: 'rule', id: 'eat', when: 'eaten', said: 'could not be evaluated', detail: 'no such key' }],
};

let host: FakeHost | undefined;
afterEach(() => host?.close());

test('prints the rules in evaluation order, and the verdict on each tool', async () => {
  host = await fakeHost({ 'GET /api/v1/rules': () => ({ body: TABLE }) });
  const { stdout } = await runCli(['rules'], { env: { COUNTERSIGN_URL: host.url, COUNTERSIGN_OPERATOR_SECRET: 'cso_1' } });
  expect(stdout).toMatch(/1 +eat +jar__cookie_jar +ask +2 of ada, ben +4 h +eaten\n2 +smash +jar__smash_jar +refuse \(shadow\) +always/);
  expect(stdout).toMatch(/jar__cookie_jar +depends on the arguments +quarantined +eat/);
});

test('tries one call, with arguments given as JSON or on standard input', async () => {
  host = await fakeHost({ 'POST /api/v1/rules/try': () => ({ body: REPORT }) });
  const env = { COUNTERSIGN_URL: host.url, COUNTERSIGN_TOKEN: 'csp_1' };
  const tried = await runCli(['rules', 'try', 'jar__cookie_jar', '{"action":"eat"}', '--agent', 'walker'], { env });
  expect(tried.stdout).toMatch(/^ask: [\s\S]*rule eat ask: Gone\.[\s\S]*rule eat +could not be evaluated +eaten +no such key/);
  expect(host.seen[0]?.body).toEqual({ tool: 'jar__cookie_jar', arguments: { action: 'eat' }, agent: 'walker' });
  await runCli(['rules', 'try', 'jar__cookie_jar', '-'], { env, stdin: '{"action":"add"}' });
  expect(host.seen[1]?.body).toEqual({ tool: 'jar__cookie_jar', arguments: { action: 'add' } });
});

test('is 2 for arguments that are no JSON', async () => {
  host = await fakeHost({});
  const env = { COUNTERSIGN_URL: host.url, COUNTERSIGN_TOKEN: 'csp_1' };
  expect((await runCli(['rules', 'try', 'a__b', '{"action":'], { env })).code).toBe(2);
  expect(host.seen).toEqual([]);
});

test('freezes with a reason and thaws, as a principal or the operator', async () => {
  const state = { frozen: true, frozenAt: '2026-11-30T12:00:00.000Z', frozenBy: 'ada', reason: 'odd payments' };
  host = await fakeHost({
    'POST /api/v1/freeze': () => ({ body: state }),
    'POST /api/v1/thaw': () => ({ body: { frozen: false, frozenAt: null, frozenBy: null, reason: null } }),
  });
  const env = { COUNTERSIGN_URL: host.url, COUNTERSIGN_TOKEN: 'csp_ada', COUNTERSIGN_OPERATOR_SECRET: 'cso_1' };
  expect((await runCli(['freeze', 'odd payments'], { env })).stdout).toMatch(/^Frozen by ada: odd payments/);
  expect(host.seen[0]).toMatchObject({ token: 'csp_ada', body: { reason: 'odd payments' } });
  const { COUNTERSIGN_TOKEN: _, ...operator } = env;
  expect(JSON.parse((await runCli(['thaw', '--json'], { env: operator })).stdout)).toMatchObject({ frozen: false });
  expect(host.seen[1]?.token).toBe('cso_1');
});
