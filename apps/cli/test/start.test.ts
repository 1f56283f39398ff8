import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Decision } from '@countersign/contracts';
import { connectStdio } from '@countersign/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCli } from './run-cli.ts';
import { CLI, ranCli, type Spawned, sampleFromSource, spawnCli } from './spawn-cli.ts';

type Ready = {
  ready: true;
  url: string;
  mcp: string;
  login: string;
  agents: Record<string, { token: string; id: string; expiresAt: string }>;
};
// A loaded machine starts processes slowly.
vi.setConfig({ testTimeout: 90_000 });
const LONG = { timeout: 60_000, interval: 200 };

let folder: string;
let data: string;
let config: string;
let host: Spawned;
let ready: Ready;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  data = join(folder, 'data');
  config = sampleFromSource(folder);
  host = spawnCli(['start', '--config', config, '--data', data, '--port', '0', '--demo', '--json']);
  await vi.waitFor(() => expect(host.stdout(), host.stderr()).toContain('\n'), LONG);
  ready = JSON.parse(host.stdout()) as Ready;
}, 90_000);

afterAll(async () => {
  host.process.kill('SIGKILL');
  await host.exit;
  rmSync(folder, { recursive: true, force: true });
});

/** In this process, against the host in its own. */
const cli = (...argv: string[]) => runCli([...argv, '--data', data]);
const pending = async (principal: string, tool: string) => {
  const { stdout } = await cli('decisions', '--as', principal, '--tool', tool, '--json');
  return (JSON.parse(stdout) as { items: Decision[] }).items;
};

// One host for all of them, in this order: a first start takes seconds.
test('prints exactly one line when it is ready', () => {
  expect(host.stdout()).toBe(`${JSON.stringify(ready)}\n`);
  expect(ready).toMatchObject({ ready: true, mcp: `${ready.url}/mcp`, login: expect.stringContaining(`${ready.url}/login/`) });
  expect(Object.keys(ready.agents)).toEqual(['researcher', 'treasurer', 'newcomer']);
  expect(ready.agents.researcher).toEqual({
    token: expect.stringMatching(/^csa_/),
    id: expect.stringMatching(/^crd_/),
    expiresAt: expect.any(String),
  });
});

test('lets the demo agents work: some calls pass, some are held, one is refused by a rule', async () => {
  await expect.poll(host.stderr, LONG).toMatch(/researcher +jar__cookie_jar eat 3 +held, dec_\w+ waits for ada/);
  await expect.poll(host.stderr, LONG).toMatch(/treasurer +ledger__send_money 250 to Northwind +held, dec_\w+ waits for ben/);
  await expect.poll(host.stderr, LONG).toMatch(/researcher +files__write_file report.md +held/);
  await expect.poll(host.stderr, LONG).toMatch(/researcher +files__write_file .profile +refused by a rule: Programs obey dotfiles/);
  expect(host.stderr()).toMatch(/treasurer +ledger__send_money 40 to Corner Bakery +ran: pay_1/);
  expect(host.stderr()).toMatch(/newcomer +jar__cookie_jar count +failed: Unknown tool/);
});

test('an approval on the command line runs the call and reaches the agent that asked', async () => {
  const [eat] = await pending('ada', 'jar__cookie_jar');
  const approved = await cli('decisions', 'approve', eat?.id ?? '', '--as', 'ada', '--note', 'Enjoy');
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('approved') });
  expect(approved.stderr).toContain('"amount": 3');
  await expect.poll(host.stderr, LONG).toMatch(/jar__cookie_jar eat 3 +after its wait ran: Ate 3 cookies: 9 cookies left/);
  const again = await cli('decisions', 'refuse', eat?.id ?? '', '--as', 'ada', '--yes');
  expect(again.code).toBe(1);
});

test('a refusal on the command line reaches the agent with its note', async () => {
  const [pay] = await pending('ben', 'ledger__send_money');
  expect((await cli('decisions', 'refuse', pay?.id ?? '', '--as', 'ben', '--yes', '--note', 'Paid by hand')).code).toBe(0);
  await expect.poll(host.stderr, LONG).toMatch(/250 to Northwind +after its wait refused by a person/);
});

test('tells whoever has a credential what a rule would say, and what happened', async () => {
  const { stdout } = await cli('login', 'ben', '--token');
  const env = { COUNTERSIGN_TOKEN: stdout.trim() };
  const tried = await ranCli(
    ['rules', 'try', 'ledger__send_money', '{"to":"x","amount":500}', '--agent', 'treasurer', '--data', data],
    env,
  );
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ask: .*\n +rule large-payment ask: More than/) });
  const events = await runCli(['audit', '--type', 'decision.refused', '--json', '--data', data], { env });
  expect(JSON.parse(events.stdout)).toMatchObject({ items: [{ type: 'decision.refused', actor: { kind: 'principal', name: 'ben' } }] });
});

test('carries a stdio client to the host, in the lane of its credential', async () => {
  const command = { command: CLI.command, args: [...CLI.args, 'mcp'] };
  const env = { PATH: process.env.PATH ?? '', COUNTERSIGN_URL: ready.url, COUNTERSIGN_TOKEN: ready.agents.researcher?.token ?? '' };
  const client = await connectStdio(command, env);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('jar__cookie_jar');
  const counted = await client.callTool({ name: 'jar__cookie_jar', arguments: { action: 'count' } });
  expect(counted.content).toEqual([{ type: 'text', text: 'The jar holds 9 cookies.' }]);
  await client.close();
});

test('is 5 on a data directory that another host uses, and says so', async () => {
  const env = { LEDGER_URL: 'http://127.0.0.1:9/mcp' };
  const second = await runCli(['start', '--config', config, '--data', data, '--port', '0'], { env });
  expect(second).toMatchObject({ code: 5, stdout: '' });
  expect(second.stderr).toContain('data.locked');
});

test('is 2 with every problem of the config, before anything starts', async () => {
  writeFileSync(join(folder, 'broken.yaml'), 'server: { prt: 1 }\nrulez: []\n');
  const ran = await runCli(['start', '--config', join(folder, 'broken.yaml'), '--data', join(folder, 'never')]);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/broken\.yaml:1:\d+ [\s\S]*broken\.yaml:2:1 /);
  expect(existsSync(join(folder, 'never'))).toBe(false);
});

test('is 5 where something else listens on its port, and lets go of the data directory', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  writeFileSync(join(folder, 'empty.yaml'), 'rules: []\n');
  const ran = await ranCli(['start', '--config', join(folder, 'empty.yaml'), '--data', join(folder, 'other'), '--port', String(port)]);
  taken.close();
  expect(ran).toMatchObject({ code: 5, stdout: '' });
  expect(ran.stderr).toContain(`127.0.0.1:${port}`);
  expect(existsSync(join(folder, 'other', 'lock'))).toBe(false);
});

test('reads its config again at SIGHUP', async () => {
  host.process.kill('SIGHUP');
  await expect.poll(host.stderr, LONG).toContain('Config read again: 9 rules are in force.');
});

test('ends at Ctrl-C with 0, what is held stays held, and starts again where it was', async () => {
  host.process.kill('SIGINT');
  expect(await host.exit).toBe(0);
  expect(existsSync(join(data, 'host.json'))).toBe(false);
  host = spawnCli(['start', '--config', config, '--data', data, '--port', '0'], { LEDGER_URL: 'http://127.0.0.1:9/mcp' });
  await expect.poll(host.stdout, LONG).toContain('Stop ');
  expect(host.stdout()).toMatch(/Inbox +http:\S+\/login\/csl_/);
  expect(host.stdout()).toContain('claude mcp add --transport http countersign');
  expect(await pending('ada', 'files__write_file')).toHaveLength(1);
});
