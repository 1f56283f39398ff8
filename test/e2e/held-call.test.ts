/** What a newcomer sees first: an agent calls a real tool, a rule catches it, a person answers, it runs once. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { approve } from './answers.ts';
import { inspectorAgent } from './inspector.ts';
import { type Agent, codeOf, connectAgent, heldAs, textOf } from './mcp-clients.ts';
import { aConfig, JAR_RULES, jarIn, jarServer } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';

const folder = scratch('jar');
const jarFile = join(folder, 'jar.json');
let host: StartedHost;
let ada: string;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  host = await startHost({ config: aConfig({ servers: { jar: jarServer(jarFile) }, rules: JAR_RULES }) });
  ada = await host.principalToken('ada');
});

type Connect = () => Promise<Agent>;
const CLIENTS: readonly (readonly [string, Connect])[] = [
  ['the v1 client (2025-11-25)', async () => connectAgent(host.mcp(), await host.agentToken('researcher'), '2025-11-25')],
  ['the v2 client, pinned to 2026-07-28', async () => connectAgent(host.mcp(), await host.agentToken('researcher'), '2026-07-28')],
  ['the v2 client, which asks first', async () => connectAgent(host.mcp(), await host.agentToken('researcher'), 'auto')],
  ['the Inspector’s --cli', async () => inspectorAgent(host.mcp(), await host.agentToken('researcher'), 'legacy')],
];

/** Both ways in which a person answers; each approves what it was shown. */
const ANSWERS: readonly (readonly [string, (id: string) => Promise<void>])[] = [
  [
    'the CLI',
    async (id) => {
      const { code, stdout, stderr } = await host.cli(['decisions', 'approve', id, '--yes', '--json'], ada);
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ id, state: 'approved' });
    },
  ],
  [
    'HTTP',
    async (id) => {
      expect(await approve(host.as(ada), id)).toMatchObject({ id, state: 'approved' });
    },
  ],
];

const meals = () => jarIn(jarFile).history.filter(({ what }) => what.startsWith('ate')).length;

describe.each(CLIENTS)('%s', (client, connect) => {
  it.each(ANSWERS)(
    'sees the tools, has eating held, answered by %s, and reads the result; the jar changed exactly once',
    async (__, answer) => {
      const agent = await connect();
      expect(await agent.tools()).toEqual(expect.arrayContaining(['await_decision', 'jar__cookie_jar', 'jar__smash_jar', 'whoami']));
      const before = meals();
      const { count } = jarIn(jarFile);

      const id = heldAs(await agent.call('jar__cookie_jar', { action: 'eat', amount: 1 }));
      expect(meals()).toBe(before);
      await answer(id);
      const result = await agent.call('await_decision', { id, wait_seconds: 30 });
      expect(codeOf(result)).toBeUndefined();
      expect(textOf(result)).toMatch(/^Ate 1 cookie: /);
      expect(result.structuredContent).toMatchObject({ count: count - 1 });
      expect(await agent.call('await_decision', { id })).toEqual(result);
      expect([meals(), jarIn(jarFile).count]).toEqual([before + 1, count - 1]);
    },
  );

  it('gets the "no" of a person with the note, and nothing happened to the jar', async () => {
    const agent = await connect();
    const before = jarIn(jarFile);
    const amount = 2 + CLIENTS.findIndex(([name]) => name === client);
    const id = heldAs(await agent.call('jar__cookie_jar', { action: 'eat', amount }));
    const note = 'My grandmother made it.';
    const { code } = await host.cli(['decisions', 'refuse', id, '--note', note, '--yes'], ada);
    expect(code).toBe(0);
    const result = await agent.call('await_decision', { id, wait_seconds: 30 });
    expect(codeOf(result)).toBe('refused_by_principal');
    expect(textOf(result)).toContain(note);
    expect(jarIn(jarFile)).toEqual(before);
  });
});

it('is held and read the same way by the Inspector’s --cli in the modern era', async () => {
  const agent = inspectorAgent(host.mcp(), await host.agentToken('researcher'), 'modern');
  const before = meals();
  const id = heldAs(await agent.call('jar__cookie_jar', { action: 'eat', amount: 1 }));
  await approve(host.as(ada), id);
  expect(textOf(await agent.call('await_decision', { id, wait_seconds: 30 }))).toMatch(/^Ate 1 cookie: /);
  expect(meals()).toBe(before + 1);
});

it('has every step in the log, in order', async () => {
  const agent = await connectAgent(host.mcp(), await host.agentToken('treasurer'));
  const id = heldAs(await agent.call('jar__cookie_jar', { action: 'eat', amount: 1 }));
  const ben = await host.principalToken('ben');
  expect((await host.cli(['decisions', 'approve', id, '--yes'], ben)).code).toBe(0);
  await agent.call('await_decision', { id, wait_seconds: 30 });
  const { call } = mustBe(await host.as(ben).decisions.get(id));
  const { stdout } = await host.cli(['audit', 'query', '--call', call?.id ?? '', '--oldest', '--json'], ben);
  const { items } = JSON.parse(stdout) as { items: readonly { type: string; actor: { kind: string; name: string } }[] };
  expect(items.map(({ type, actor }) => `${type} by ${actor.name}`)).toEqual([
    'call.held by treasurer',
    'decision.raised by gate',
    'decision.approved by ben',
    'call.queued by ben',
    'call.claimed by dispatch',
    'call.completed by dispatch',
  ]);
});
