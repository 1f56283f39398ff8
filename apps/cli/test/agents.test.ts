import { afterEach, expect, test } from 'vitest';
import { type FakeHost, fakeHost, problem } from './fake-host.ts';
import { runCli } from './run-cli.ts';

const ISSUED = { token: 'csa_new', id: 'crd_01jdqz6v8me2ks1nxh8v4yq3bk', expiresAt: '2026-12-30T12:00:00.000Z' };
const AGENT = {
  id: 'agt_01jdqz6v8me2ks1nxh8v4yq3bk',
  name: 'walker',
  principal: 'ada',
  status: 'probation',
  lane: 'probation',
  description: 'Walks\u202e',
  createdAt: '2026-11-30T11:00:00.000Z',
  lastSeenAt: '2026-11-30T11:58:00.000Z',
};

let host: FakeHost | undefined;
afterEach(() => host?.close());
const agents = (...argv: string[]) =>
  runCli(['agents', ...argv], {
    env: { COUNTERSIGN_URL: host?.url ?? '', COUNTERSIGN_OPERATOR_SECRET: 'cso_1', COUNTERSIGN_TOKEN: 'csp_1' },
  });

test('issues a credential: the secret alone, or {token, id, expiresAt} with --json', async () => {
  host = await fakeHost({ 'POST /api/v1/agents/walker/credentials': () => ({ status: 201, body: ISSUED }) });
  const plain = await agents('token', 'walker', '--ttl-days', '30', '--scopes', 'directory:read, tools:call');
  expect(plain.stdout).toBe('csa_new\n');
  expect(host.seen[0]).toMatchObject({ token: 'cso_1', body: { ttl_days: 30, scopes: ['directory:read', 'tools:call'] } });
  expect(JSON.parse((await agents('token', 'walker', '--json')).stdout)).toEqual(ISSUED);
});

test('is 4 where a scope is never given to an agent, and says why', async () => {
  const refusal = () => problem('scope.never_granted', 403, 'An agent that can change its terms does not act under terms.');
  host = await fakeHost({ 'POST /api/v1/agents/walker/credentials': refusal });
  const ran = await agents('token', 'walker', '--scopes', 'mandate:write');
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain('does not act under terms');
});

test('adds, admits and suspends', async () => {
  host = await fakeHost({
    'POST /api/v1/agents': () => ({ status: 201, body: AGENT }),
    'POST /api/v1/agents/walker/admit': () => ({ body: { ...AGENT, status: 'member' } }),
    'POST /api/v1/agents/walker/suspend': () => ({ body: { ...AGENT, status: 'suspended' } }),
  });
  expect((await agents('add', 'walker', '--principal', 'ada')).stdout).toContain('on probation');
  expect(host.seen[0]?.body).toEqual({ name: 'walker', principal: 'ada' });
  expect((await agents('admit', 'walker')).stdout).toBe('walker: member.\n');
  expect((await agents('suspend', 'walker')).stdout).toBe('walker: suspended.\n');
});

test('lists agents, with what they say of themselves made visible (E2)', async () => {
  host = await fakeHost({ 'GET /api/v1/agents': () => ({ body: { items: [AGENT], nextCursor: null } }) });
  const { stdout } = await agents();
  expect(stdout).toMatch(/walker +ada +probation +2 min ago +Walks⟨U\+202E⟩/);
});

test('revokes a credential', async () => {
  host = await fakeHost({ [`DELETE /api/v1/credentials/${ISSUED.id}`]: () => ({ status: 204 }) });
  expect(JSON.parse((await agents('revoke', ISSUED.id, '--json')).stdout)).toEqual({ id: ISSUED.id, revoked: true });
});
