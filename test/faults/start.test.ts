/** Starting on a bad footing: a first start that is killed, a directory that is taken, a config that is wrong in five places. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../e2e/cli.ts';
import { connectAgent, heldAs } from '../e2e/mcp-clients.ts';
import { aConfig, JAR_RULES, jarIn, jarServer } from '../e2e/sample-config.ts';
import { prepareHost, scratch, startHost } from '../e2e/started-host.ts';
import { contradictions, readRecord } from './record.ts';

it('a first start that is killed again and again leaves a directory that the next start makes whole', async () => {
  const jar = join(scratch('jar'), 'jar.json');
  const host = prepareHost({ config: aConfig({ servers: { jar: jarServer(jar) }, rules: JAR_RULES }) });
  // Spread over all of a first start: before the lock, while the database is made, while it is migrated, just before it is ready.
  for (const afterMs of [50, 300, 700, 1200, 1800, 2600]) {
    const starting = host.start().catch(() => 'killed');
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await host.kill();
    expect(['killed', undefined]).toContain(await starting);
  }
  await host.start();
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  expect(heldAs(await agent.call('jar__cookie_jar', { action: 'eat' }))).toMatch(/^dec_/);
  expect(jarIn(jar).history).toEqual([]);
  await host.stop();
  const record = await readRecord(host.dataDir);
  expect(contradictions(record, [])).toEqual([]);
  // Seeded once, however often it was begun.
  expect(record.events.filter(({ type }) => type === 'principal.created').map(({ payload }) => payload)).toHaveLength(2);
  expect(existsSync(join(host.dataDir, 'database.new'))).toBe(false);
});

it('a second process on one data directory ends with a clear error, and the first is unharmed', async () => {
  const jar = join(scratch('jar'), 'jar.json');
  const config = aConfig({ servers: { jar: jarServer(jar) }, rules: JAR_RULES });
  const host = await startHost({ config });
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  const id = heldAs(await agent.call('jar__cookie_jar', { action: 'eat' }));
  const args = ['start', '--config', host.configPath, '--data', host.dataDir, '--port', '0'];
  const second = await runCli(args);
  expect([second.code, second.stdout]).toEqual([5, '']);
  expect(second.stderr).toContain(`in use by process ${host.pid()}`);
  const third = await runCli([...args, '--json']);
  expect(third.code).toBe(5);
  expect(JSON.parse(third.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'data.locked' } });

  const token = await host.principalToken('ada');
  expect((await host.cli(['decisions', 'approve', id, '--yes', '--json'], token)).code).toBe(0);
  const result = await agent.call('await_decision', { id, wait_seconds: 30 });
  expect(result.content[0]?.text).toMatch(/^Ate 1 cookie/);
  await host.stop();
  expect(contradictions(await readRecord(host.dataDir), [])).toEqual([`${await calledIn(host.dataDir)} is done and never ran`]);
});

/** The one call of a record whose upstream keeps no list of executions. */
const calledIn = async (dataDir: string): Promise<string> => String((await readRecord(dataDir)).calls[0]?.id);

const WRONG_IN_FIVE_PLACES = `server: { port: 99999 }
hold: { wait: soon }
servers:
  jar: { comand: node }
rules:
  - { id: eat, tool: jar__cookie_jar, when: eating, match: 'args.action ==', reason: Because. }
principals:
  Ada: { name: Ada Marsh }
`;

it.each([
  ['start', (config: string, data: string) => ['start', '--config', config, '--data', data, '--port', '0']],
  ['config check', (config: string) => ['config', 'check', '--config', config]],
])('%s with a config that is wrong in five places ends with 2 and names all five, each with line and column', async (_, argsOf) => {
  const folder = scratch('config');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'countersign.yaml');
  writeFileSync(config, WRONG_IN_FIVE_PLACES);
  const data = scratch();
  const { code, stdout, stderr } = await runCli(argsOf(config, data));
  const said = `${stdout}${stderr}`;
  expect(code).toBe(2);
  for (const line of [1, 2, 4, 6, 8]) expect(said).toMatch(new RegExp(`countersign\\.yaml:${line}:\\d+`));
  expect(existsSync(join(data, 'database'))).toBe(false);
});
