/** Ctrl-C and SIGTERM: what runs is finished or handed back, what is held stays held, and nobody is left waiting. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { approve, pendingOf, readDecision } from '../e2e/answers.ts';
import { codeOf, connectAgent, type Era, heldAs, textOf } from '../e2e/mcp-clients.ts';
import { childrenOf, isAlive } from '../e2e/processes.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from '../e2e/sample-config.ts';
import { mustBe, scratch, startHost } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import { contradictions, readRecord } from './record.ts';

async function aHostThatCounts() {
  const file = join(scratch('counted'), 'counted.jsonl');
  const host = await startHost({ config: aConfig({ servers: { counter: counterServer(file) }, rules: [COUNTER_RULE] }) });
  const token = await host.principalToken('ada');
  const slowly = await host.agentToken('researcher', { hold: { wait: 60_000, wait_with_progress: 60_000 } });
  const connect = async (era: Era = '2026-07-28') => connectAgent(host.mcp(), await host.agentToken('researcher'), era);
  return { host, file, token, slowly, connect };
}

it('Ctrl-C during held calls answers them as pending at once, and they are there to answer after the restart (C1)', async () => {
  const { host, file, token, slowly, connect } = await aHostThatCounts();
  const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];
  const waiting = eras.map(async (era) => (await connectAgent(host.mcp(), slowly, era)).call('counter__increment', { era }));
  const open = await until('both are held', async () => {
    const pending = await pendingOf(host.as(token));
    return pending.length === 2 ? pending : null;
  });
  const upstreams = childrenOf(host.pid());
  host.interrupt();
  for (const result of await Promise.all(waiting)) expect(open.map(({ id }) => id)).toContain(heldAs(result));
  expect(await host.ended()).toEqual({ code: 0, signal: null });
  expect(upstreams.filter(isAlive)).toEqual([]);
  expect(host.stderr()).toContain('what is held stays held');

  await host.start();
  const agent = await connect();
  for (const { id } of open) {
    await approve(host.as(token), id);
    expect(textOf(await agent.call('await_decision', { id, wait_seconds: 30 }))).toBe('incremented');
  }
  await host.stop();
  expect(executionsIn(file)).toHaveLength(2);
  expect(contradictions(await readRecord(host.dataDir), executionsIn(file))).toEqual([]);
});

it('Ctrl-C during dispatch lets what was sent finish, records it, gives its answer, and takes nothing new', async () => {
  const { host, file, token, connect } = await aHostThatCounts();
  const [legacy, modern] = [await connect('2025-11-25'), await connect()];
  const approved = heldAs(await modern.call('counter__increment', { n: 1, delay_ms: 1500 }));
  await approve(host.as(token), approved);
  const allowed = [legacy, modern].map((agent, i) => agent.call('counter__increment', { n: i + 2, delay_ms: 1500, pass: true }));
  await until('all were sent', () => executionsIn(file).length === 3);
  const upstreams = childrenOf(host.pid());
  host.interrupt();
  expect((await Promise.all(allowed)).map(textOf)).toEqual(['incremented', 'incremented']);
  expect(await host.ended()).toEqual({ code: 0, signal: null });
  expect(upstreams.filter(isAlive)).toEqual([]);

  const record = await readRecord(host.dataDir);
  expect(contradictions(record, executionsIn(file))).toEqual([]);
  expect(record.calls.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  expect(executionsIn(file)).toHaveLength(3);
  expect(record.events.at(-1)?.type).toBe('host.stopped');
});

it('a second Ctrl-C stops at once; what was on its way is unknown, and a person is asked after the restart (C6)', async () => {
  const { host, file, token, connect } = await aHostThatCounts();
  const agent = await connect();
  const id = heldAs(await agent.call('counter__increment', { n: 1, delay_ms: 60_000 }));
  await approve(host.as(token), id);
  await until('it was sent', () => executionsIn(file).length === 1);
  const upstreams = childrenOf(host.pid());
  host.interrupt();
  await until('it says what it does', () => host.stderr().includes('Ctrl-C again stops at once'));
  host.interrupt();
  expect(await host.ended()).toEqual({ code: 130, signal: null });
  await until('the upstream’s process is gone too', () => !upstreams.some(isAlive));

  await host.start();
  const question = await until(
    'the person is asked',
    async () => (await pendingOf(host.as(token))).find(({ kind }) => kind === 'outcome'),
    60_000,
  );
  expect(question.call?.id).toBe((await readDecision(host.as(token), id)).call?.id);
  expect(codeOf(await (await connect()).call('await_decision', { id }))).toBe('outcome_unknown');
  await host.stop();
  expect(executionsIn(file)).toHaveLength(1);
  expect(contradictions(await readRecord(host.dataDir), executionsIn(file))).toEqual([]);
});

it('kill -9 in the middle of stopping loses nothing (C1)', async () => {
  const { host, file, token, connect } = await aHostThatCounts();
  const agent = await connect();
  const ids = await Promise.all([1, 2, 3].map(async (n) => heldAs(await agent.call('counter__increment', { n, delay_ms: 400 }))));
  await Promise.all(ids.slice(0, 2).map((id) => approve(host.as(token), id)));
  host.signal('SIGTERM');
  await until('it is stopping', () => host.stderr().includes('Finishing what runs'));
  await host.kill();

  await host.start();
  const ada = host.as(token);
  const third = await readDecision(ada, ids[2] ?? '');
  expect(third.state).toBe('pending');
  await until(
    'nothing is on its way',
    async () => {
      const states = await Promise.all(ids.slice(0, 2).map(async (id) => (await readDecision(ada, id)).call?.state ?? ''));
      return states.every((state) => ['done', 'unknown'].includes(state));
    },
    60_000,
  );
  mustBe(await ada.decisions.answer(third.id, { version: third.version, shownDigest: third.shownDigest, effect: 'approve' }));
  await until('the third ran', async () => (await readDecision(ada, third.id)).call?.state === 'done');
  await host.stop();
  expect(contradictions(await readRecord(host.dataDir), executionsIn(file))).toEqual([]);
  expect(new Set(executionsIn(file).map(({ args }) => args.n)).size).toBe(executionsIn(file).length);
});
