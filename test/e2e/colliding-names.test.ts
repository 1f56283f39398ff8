import { startFixture } from '@countersign/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Agent, connectAgent } from './mcp-clients.ts';
import { modernCall, sendRaw } from './raw-http.ts';
import { aConfig } from './sample-config.ts';
import { type StartedHost, startHost } from './started-host.ts';

/** Servers, and the tools that each lists; the first two make one name between them, `acme___status`, once `-` and `_` are folded. */
const SERVERS = {
  acme: { mode: 'conflict-names', names: ['_status', 'fine'] },
  'acme-': { mode: 'conflict-names', names: ['status', 'also_fine'] },
  twice: { mode: 'duplicates' },
  cases: { mode: 'case-twins' },
  bad: { mode: 'malformed-tool' },
  poison: { mode: 'poisoned' },
} as const;
const fixtures: Awaited<ReturnType<typeof startFixture>>[] = [];
let host: StartedHost;
let agent: Agent;
let token: string;
beforeAll(async () => {
  const servers: Record<string, object> = {};
  for (const [name, options] of Object.entries(SERVERS)) {
    const fixture = await startFixture(options);
    fixtures.push(fixture);
    servers[name] = { url: fixture.url };
  }
  host = await startHost({ config: aConfig({ servers }) });
  token = await host.agentToken('researcher');
  agent = await connectAgent(host.mcp(), token);
});
afterAll(async () => {
  await Promise.all(fixtures.map((fixture) => fixture.close()));
});

const REFUSED = [
  ['acme', '_status'],
  ['acme-', 'status'],
  ['twice', 'twice'],
  ['cases', 'do_it'],
  ['cases', 'do-it'],
  ['cases', 'Do_It'],
  ['bad', 'broken'],
  ['poison', 'd\u0435lete_file'],
] as const;

it('lists every tool whose name is its own, and none that could be taken for another (D6)', async () => {
  const upstream = (await agent.tools()).filter((name) => name.includes('__'));
  expect(upstream).toEqual(
    expect.arrayContaining([
      'acme__fine',
      'acme-__also_fine',
      'twice__once',
      'cases__other',
      'bad__good_one',
      'bad__good_two',
      'poison__delete_file',
    ]),
  );
  expect(upstream.filter((name) => /status|twice__twice|cases__do|cases__Do|broken|dеlete/.test(name))).toEqual([]);
});

it.each(REFUSED)('refuses the tool of %s named %s at registration, and says so by name (D6)', async (server, name) => {
  const answered = await sendRaw(host.mcp(), modernCall(`${server}__${name}`, '{}', token));
  expect(answered.json()).toMatchObject({ error: { code: -32602 } });
  const logged = host
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { server?: string; tool?: string; reason?: string; msg: string });
  const shown = name === 'd\u0435lete_file' ? expect.stringContaining('lete_file') : name;
  expect(logged).toContainEqual(expect.objectContaining({ server, tool: shown, reason: expect.any(String) }));
});

it('runs the good tools beside a malformed one', async () => {
  expect(await agent.call('bad__good_one')).toMatchObject({ content: [{ text: 'good_one ran' }] });
  expect(await agent.call('bad__good_two')).toMatchObject({ content: [{ text: 'good_two ran' }] });
});
