/** Approvals that the world changed under: an upstream that was down for too long, a server that is gone, a record that somebody edited. */
import { join } from 'node:path';
import { startFixture } from '@countersign/testkit';
import { beforeAll, expect, it } from 'vitest';
import { approve, readDecision, settledCall } from './answers.ts';
import { codeOf, connectAgent, heldAs, textOf } from './mcp-clients.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';
import { withDatabase } from './stored-record.ts';
import { until } from './until.ts';

const counted = join(scratch('outlived'), 'counted.jsonl');
const RULES = [COUNTER_RULE, { id: 'far', tool: 'far__increment', when: 'always', reason: 'Far away.', expires: '3s' }];
const executions = (test: string) => executionsIn(counted).filter(({ args }) => args.test === test);

let host: StartedHost;
let far: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  far = await startFixture({ mode: 'counter', counterFile: counted });
  host = await startHost({ config: aConfig({ servers: { counter: counterServer(counted), far: { url: far.url } }, rules: RULES }) });
});

it('does not send an approved call after its deadline, when its server is back; the event names the decision (A1, C3)', async () => {
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  const ada = await host.principal('ada');
  const id = heldAs(await agent.call('far__increment', { test: 'late' }));
  await far.close();
  const { expiresAt } = await approve(ada, id);
  await until('the deadline', () => new Date().toISOString() > expiresAt);
  far = await startFixture({ mode: 'counter', counterFile: counted, port: Number(new URL(far.url).port) });
  const { call } = await settledCall(ada, id);
  expect(call?.state).toBe('refused');
  const events = mustBe(await ada.audit.query({ call: call?.id ?? '', order: 'oldest' })).items;
  expect(events.at(-1)).toMatchObject({ type: 'call.refused', decision: id, payload: { cause: 'expired' } });
  const told = await agent.call('await_decision', { id });
  expect([codeOf(told), textOf(told)]).toEqual(['expired', expect.stringContaining('nothing was executed')]);
  expect(executions('late')).toEqual([]);
});

it('runs neither a call to a server that is gone nor one whose record was edited, and keeps the history of a deleted agent (A1, A2, E8)', async () => {
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  const leaver = await connectAgent(host.mcp(), await host.agentToken('treasurer'));
  const ada = await host.principal('ada');
  const ben = await host.principal('ben');
  const benToken = await host.principalToken('ben');
  const gone = heldAs(await agent.call('far__increment', { test: 'gone' }));
  const edited = heldAs(await agent.call('counter__increment', { test: 'edited', n: 1 }));
  const left = heldAs(await leaver.call('counter__increment', { test: 'left' }));
  mustBe(await ada.host.freeze('Taking a look at the disk.'));
  for (const id of [gone, edited]) expect((await approve(ada, id)).call?.state).toBe('queued');
  await approve(ben, left);
  const adaToken = await host.principalToken('ada');
  await host.stop();

  const editedCall = await withDatabase(host.dataDir, async ({ rows }) => {
    const [row] = await rows(`update call set args = '{"n":999,"test":"edited"}' where args like '%"edited"%' returning id`);
    await rows(`delete from credential where agent = 'treasurer'`);
    await rows(`delete from agent where name = 'treasurer'`);
    return row?.id;
  });
  const without = aConfig({ servers: { counter: counterServer(counted) }, rules: RULES }) as ReturnType<typeof aConfig> & {
    agents: object;
  };
  host.configure({ ...without, agents: { researcher: { principal: 'ada', status: 'member' } } });
  await host.start();
  const after = host.as(adaToken);
  mustBe(await after.host.thaw());
  for (const id of [gone, edited]) expect((await settledCall(after, id)).call?.state).toBe('refused');
  const { items } = mustBe(await after.audit.query({ call: String(editedCall), type: ['call.refused'] }));
  expect(items).toMatchObject([{ decision: edited }]);

  const history = await settledCall(host.as(benToken), left);
  expect(history).toMatchObject({
    id: left,
    agent: 'treasurer',
    state: 'approved',
    call: { tool: 'counter__increment', arguments: { test: 'left' }, state: 'refused' },
  });
  expect((await readDecision(host.as(benToken), left)).answers).toHaveLength(1);
  expect(executionsIn(counted)).toEqual([]);
  await far.close();
});
