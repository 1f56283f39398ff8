import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DECISION_ID, type FakeHost, fakeHost, problem } from './fake-host.ts';
import { inFolder, runCli } from './run-cli.ts';

const LINK = { url: 'http://127.0.0.1:1/login/csl_x', expiresAt: '2026-11-30T12:15:00.000Z' };
const ISSUED = { token: 'csp_minted', id: 'crd_01jdqz6v8me2ks1nxh8v4yq3bk', expiresAt: null };
const EMPTY = { items: [], nextCursor: null };

let host: FakeHost | undefined;
afterEach(() => host?.close());

/** A working directory whose .countersign belongs to a host at `url`. */
function leaveData(folder: string, url: string): void {
  mkdirSync(join(folder, '.countersign'));
  writeFileSync(join(folder, '.countersign', 'host.json'), JSON.stringify({ url, pid: 1 }));
  writeFileSync(join(folder, '.countersign', 'operator.secret'), 'cso_of_the_data\n');
}

test('finds the host and its operator secret in the data directory', () =>
  inFolder(async (cwd) => {
    host = await fakeHost({ 'POST /api/v1/principals/ada/login-link': () => ({ status: 201, body: LINK }) });
    leaveData(cwd, host.url);
    const { code, stdout } = await runCli(['login', 'ada'], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${LINK.url}\n` });
    expect(host.seen[0]?.token).toBe('cso_of_the_data');
  }));

test('never sends the secret of a data directory to another host', () =>
  inFolder(async (cwd) => {
    host = await fakeHost({});
    leaveData(cwd, 'http://127.0.0.1:9');
    const { code, stderr } = await runCli(['login', 'ada'], { cwd, env: { COUNTERSIGN_URL: host.url } });
    expect(code).toBe(4);
    expect(stderr).toContain('COUNTERSIGN_OPERATOR_SECRET');
    expect(host.seen).toEqual([]);
  }));

test('prints a principal token as {token} with --json', async () => {
  host = await fakeHost({ 'POST /api/v1/principals/ada/token': () => ({ status: 201, body: ISSUED }) });
  const env = { COUNTERSIGN_URL: host.url, COUNTERSIGN_OPERATOR_SECRET: 'cso_1' };
  expect(JSON.parse((await runCli(['login', 'ada', '--token', '--json'], { env })).stdout)).toMatchObject({ token: 'csp_minted' });
  expect((await runCli(['login', 'ada', '--token'], { env })).stdout).toBe('csp_minted\n');
});

test('acts as a principal with a token that is revoked afterwards', async () => {
  host = await fakeHost({
    'POST /api/v1/principals/ada/token': () => ({ status: 201, body: ISSUED }),
    'GET /api/v1/decisions': () => ({ body: EMPTY }),
    [`DELETE /api/v1/credentials/${ISSUED.id}`]: () => ({ status: 204 }),
  });
  const env = { COUNTERSIGN_URL: host.url, COUNTERSIGN_OPERATOR_SECRET: 'cso_1', COUNTERSIGN_TOKEN: 'csp_of_ben' };
  expect((await runCli(['decisions', '--as', 'ada'], { env })).code).toBe(0);
  expect(host.seen.map(({ route, token }) => [route.split(' ')[0], token])).toEqual([
    ['POST', 'cso_1'],
    ['GET', 'csp_minted'],
    ['DELETE', 'cso_1'],
  ]);
});

test('says what is missing without a token, a host, or both', () =>
  inFolder(async (cwd) => {
    const nowhere = await runCli(['decisions'], { cwd });
    expect(nowhere).toMatchObject({ code: 5, stdout: '' });
    expect(nowhere.stderr).toContain('countersign start');
    const nobody = await runCli(['decisions'], { cwd, env: { COUNTERSIGN_URL: 'http://127.0.0.1:9' } });
    expect(nobody.code).toBe(4);
    expect(nobody.stderr).toContain('login NAME --token');
  }));

test('is 5 where nothing listens', async () => {
  host = await fakeHost({});
  await host.close();
  const ran = await runCli(['decisions'], { env: { COUNTERSIGN_URL: host.url, COUNTERSIGN_TOKEN: 'csp_1' } });
  expect(ran.code).toBe(5);
});

test('is 3 for what is not found', async () => {
  host = await fakeHost({});
  const env = { COUNTERSIGN_URL: host.url, COUNTERSIGN_TOKEN: 'csp_1' };
  expect((await runCli(['decisions', 'show', DECISION_ID], { env })).code).toBe(3);
});

test('is 4 for a credential that the host does not accept', async () => {
  host = await fakeHost({ 'GET /api/v1/decisions': () => problem('credential.invalid', 401) });
  expect((await runCli(['decisions'], { env: { COUNTERSIGN_URL: host.url, COUNTERSIGN_TOKEN: 'csp_1' } })).code).toBe(4);
});
