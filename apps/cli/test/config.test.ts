import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { inFolder, runCli } from './run-cli.ts';

const SAMPLE = fileURLToPath(new URL('../../../infra/sample/countersign.yaml', import.meta.url));
const BROKEN = `server: { port: 99999 }
rules:
  - id: eat
    tool: jar__cookie_jar
    when: always
    reason: Gone for good.
    efect: ask
`;

let host: FakeHost | undefined;
afterEach(() => host?.close());

test('finds nothing wrong with the sample', async () => {
  const ran = await runCli(['config', 'check', '--config', SAMPLE, '--json']);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ ok: true, file: SAMPLE, servers: 3, principals: 2, agents: 3 });
});

test('names every mistake with its line and column on standard error and is 2', () =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'countersign.yaml'), BROKEN);
    const ran = await runCli(['config', 'check'], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^countersign\.yaml:1:\d+ .*port/m);
    expect(ran.stderr).toMatch(/^countersign\.yaml:7:\d+ .*efect/m);
  }));

test('gives the mistakes as data with --json', () =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'countersign.yaml'), BROKEN);
    const ran = await runCli(['config', 'check', '--json'], { cwd });
    expect(ran.code).toBe(2);
    const { ok, problems } = JSON.parse(ran.stdout) as { ok: boolean; problems: { line: number; path: string }[] };
    expect(ok).toBe(false);
    expect(problems.map(({ line }) => line)).toEqual([1, 7]);
  }));

test('names a rule whose expression does not compile', () =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'c.yaml'), BROKEN.replace('efect: ask', 'match: args.action ==').replace('99999', '7420'));
    const ran = await runCli(['config', 'check', '--config', 'c.yaml'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('match');
  }));

test('says where it looked when there is no file', () =>
  inFolder(async (cwd) => {
    const ran = await runCli(['config', 'check'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('there is no such file');
  }));

test('prints the schema as JSON', async () => {
  const ran = await runCli(['config', 'schema']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ $schema: expect.stringContaining('json-schema.org'), properties: { rules: {} } });
});

test('has the host read its file again, and prints the mistakes that keep the old one in force', async () => {
  const env = () => ({ COUNTERSIGN_URL: host?.url ?? '', COUNTERSIGN_OPERATOR_SECRET: 'cso_1' });
  const digest = `sha256:${'0'.repeat(64)}`;
  host = await fakeHost({
    'POST /api/v1/config/reload': () => ({ body: { digest, rules: 9, warnings: ['servers changed: restart to apply it'] } }),
  });
  const good = await runCli(['config', 'reload'], { env: env() });
  expect(good).toMatchObject({
    code: 0,
    stdout: 'Read again: 9 rules are in force.\n',
    stderr: 'warning: servers changed: restart to apply it\n',
  });
  await host.close();
  const problem = {
    file: '/etc/countersign.yaml',
    place: { line: 3, column: 5 },
    path: 'rules[0].effect',
    message: 'is not an effect',
    fix: null,
  };
  const body = {
    type: 'x',
    title: 'x',
    status: 422,
    code: 'config.invalid',
    detail: 'The config has one problem.',
    context: { problems: [problem] },
  };
  host = await fakeHost({ 'POST /api/v1/config/reload': () => ({ status: 422, body }) });
  const bad = await runCli(['config', 'reload'], { env: env() });
  expect(bad.code).toBe(2);
  expect(bad.stderr).toContain('/etc/countersign.yaml:3:5  rules[0].effect: is not an effect.');
});
