/** To whoever may not have a tool it is as if there were none: to the byte, to the clock, in both eras (D5). */
import { startFixture } from '@countersign/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectAgent } from './mcp-clients.ts';
import { keptConnection, legacyCall, modernCall, openSession, type RawAnswer, sendRaw } from './raw-http.ts';
import { aConfig } from './sample-config.ts';
import { type StartedHost, startHost } from './started-host.ts';

/** Of an upstream, gated and not, of our own that its lane does not have, and near misses; then names of nobody. */
const HIDDEN = ['vault__look', 'vault__delete_everything', 'set_mandate', 'query_audit', 'ask_agent', 'Vault__look', 'vault__l\u043eok'];
const ABSENT = ['vault__loop', 'crypt__look', 'no_such_tool', 'x'];
let host: StartedHost;
let vault: Awaited<ReturnType<typeof startFixture>>;
let token: string;
beforeAll(async () => {
  vault = await startFixture({ mode: 'lying' });
  const rules = [{ id: 'gated', tool: 'vault__delete_everything', when: 'always', reason: 'Everything would be gone.' }];
  host = await startHost({ config: aConfig({ servers: { vault: { url: vault.url } }, rules }) });
  token = await host.agentToken('newcomer');
});
afterAll(() => vault.close());

const normal = ({ status, headers, text }: RawAnswer, name: string): string => {
  const { date: _, 'content-length': __, ...rest } = headers;
  return JSON.stringify([status, Object.entries(rest).sort(), text.replace(JSON.stringify(name).slice(1, -1), 'NAME')]);
};

it.each([null, 'newcomer'])('answers %s byte for byte alike for hidden and absent tools, in both eras (D5)', async (agent) => {
  const credential = agent === null ? null : token;
  const session = await openSession(host.mcp(), credential);
  const answers = new Set<string>();
  for (const name of [...HIDDEN, ...ABSENT]) {
    for (const args of ['{}', '{"kind":"x","n":[1,2]}']) {
      answers.add(normal(await sendRaw(host.mcp(), modernCall(name, args, credential)), name));
      answers.add(normal(await sendRaw(host.mcp(), legacyCall(name, args, session)), name));
    }
  }
  expect([...answers]).toEqual([expect.stringContaining('Unknown tool: NAME')]);
});

it('shows the newcomer none of them in a list or among its own (D5)', async () => {
  const newcomer = await connectAgent(host.mcp(), token);
  const member = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  expect(await member.tools()).toEqual(expect.arrayContaining(['vault__look', 'vault__delete_everything']));
  expect((await newcomer.tools()).filter((name) => HIDDEN.includes(name))).toEqual([]);
  expect(JSON.stringify(await newcomer.call('whoami'))).not.toContain('vault');
  expect(await newcomer.call('list_rules')).toMatchObject({ structuredContent: { tools: [] } });
});

it('takes the same time for both, as far as a clock can tell (D5)', async () => {
  const agent = keptConnection();
  const times: Record<string, number[]> = { hidden: [], absent: [] };
  const pairs = { hidden: 'vault__delete_everything', absent: 'crypt__delete_everything' } as const;
  for (let round = 0; round < 220; round += 1) {
    // Interleaved, first one first and then the other, so that whatever else the machine does meets both alike.
    const order = round % 2 === 0 ? (['hidden', 'absent'] as const) : (['absent', 'hidden'] as const);
    for (const kind of order) {
      const { ms } = await sendRaw(host.mcp(), { ...modernCall(pairs[kind], '{}', token), agent });
      if (round >= 20) times[kind]?.push(ms);
    }
  }
  agent.destroy();
  const median = (values: readonly number[] = []): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const [hidden, absent] = [median(times.hidden), median(times.absent)];
  console.info(`D5: hidden ${hidden.toFixed(2)} ms, absent ${absent.toFixed(2)} ms (medians of 200)`);
  // Twice the other, or a third of a millisecond: a look at the database or at an upstream would be far more.
  expect(Math.abs(hidden - absent)).toBeLessThan(Math.max(0.35, Math.min(hidden, absent)));
}, 60_000);
