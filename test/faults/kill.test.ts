/** kill -9 at the points where it hurts: nothing is lost, nothing is done twice, and what nobody can know is asked. */
import { join } from 'node:path';
import { startLedger } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { answer, approve, pendingOf, readDecision } from '../e2e/answers.ts';
import { codeOf, connectAgent, heldAs, textOf } from '../e2e/mcp-clients.ts';
import { childrenOf, isAlive } from '../e2e/processes.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from '../e2e/sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import { contradictions, readRecord } from './record.ts';

/** The lease of a call whose process died must run out first. */
const LEASE_MS = 60_000;

async function aHostThatCounts(): Promise<{ readonly host: StartedHost; readonly file: string }> {
  const file = join(scratch('counted'), 'counted.jsonl');
  const host = await startHost({ config: aConfig({ servers: { counter: counterServer(file) }, rules: [COUNTER_RULE] }) });
  return { host, file };
}
const agentOf = async (host: StartedHost) => connectAgent(host.mcp(), await host.agentToken('researcher'));

describe('kill -9', () => {
  it('before the answer loses no decision: all are there, answerable, and run (C1)', async () => {
    const { host, file } = await aHostThatCounts();
    const agent = await agentOf(host);
    const token = await host.principalToken('ada');
    const ids = await Promise.all([1, 2, 3, 4, 5].map(async (n) => heldAs(await agent.call('counter__increment', { n }))));
    const upstreams = childrenOf(host.pid());
    expect(upstreams).toHaveLength(1);
    const before = await Promise.all(ids.map((id) => readDecision(host.as(token), id)));
    await host.kill();
    await until('the upstream’s process is gone too', () => !upstreams.some(isAlive));

    await host.start();
    const ada = host.as(token);
    for (const decision of before) expect(await readDecision(ada, decision.id)).toEqual(decision);
    expect((await pendingOf(ada)).map(({ id }) => id).sort()).toEqual([...ids].sort());
    const later = await agentOf(host);
    for (const id of ids.slice(1)) await approve(ada, id);
    mustBe(await answer(ada, ids[0] ?? '', { effect: 'refuse', note: 'Not this one.' }));
    const results = await Promise.all(ids.map((id) => later.call('await_decision', { id, wait_seconds: 30 })));
    expect(results.map((result) => codeOf(result) ?? textOf(result))).toEqual(['refused_by_principal', ...Array(4).fill('incremented')]);
    await host.stop();
    expect(
      executionsIn(file)
        .map(({ args }) => args.n)
        .sort(),
    ).toEqual([2, 3, 4, 5]);
    expect(contradictions(await readRecord(host.dataDir), executionsIn(file))).toEqual([]);
  });

  it('in the very moment of an answer leaves it given or not given, never half (C1)', async () => {
    const { host, file } = await aHostThatCounts();
    const token = await host.principalToken('ada');
    const agent = await agentOf(host);
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(async (n) => heldAs(await agent.call('counter__increment', { n }))));
    const answering = ids.map((id) => approve(host.as(token), id).then(() => id));
    // The first answer is acknowledged; the others are anywhere between the socket and the commit.
    const first = await Promise.any(answering);
    await host.kill();
    const acknowledged = (await Promise.allSettled(answering)).flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    expect(acknowledged).toContain(first);

    await host.start();
    const ada = host.as(token);
    for (const id of ids) {
      const { state } = await readDecision(ada, id);
      expect(['pending', 'approved']).toContain(state);
      if (acknowledged.includes(id)) expect(state).toBe('approved');
      if (state === 'pending') await approve(ada, id);
    }
    await until(
      'all have ended',
      async () =>
        (await Promise.all(ids.map((id) => readDecision(ada, id)))).every(({ call }) => ['done', 'unknown'].includes(call?.state ?? '')),
      LEASE_MS,
    );
    await host.stop();
    const record = await readRecord(host.dataDir);
    expect(contradictions(record, executionsIn(file))).toEqual([]);
    expect(new Set(executionsIn(file).map(({ args }) => args.n)).size).toBe(executionsIn(file).length);
    // What could not be known was asked: one question for each unknown outcome.
    const unknown = record.calls.filter(({ state }) => state === 'unknown').length;
    expect(record.decisions.filter(({ kind, state }) => kind === 'outcome' && state === 'pending')).toHaveLength(unknown);
  });

  it('between sending and recording: a person is asked and nothing is sent again by itself; an idempotent tool is, under the same key (C1, C6)', async () => {
    let arrived = 0;
    let isLost = true;
    const ledger = await startLedger({
      port: 0,
      onRequest: ({ message }) => {
        if ((message as { method?: string }).method !== 'tools/call') return undefined;
        arrived += 1;
        return isLost ? 'lose-answer' : undefined;
      },
    });
    const file = join(scratch('counted'), 'counted.jsonl');
    const host = await startHost({
      config: aConfig({
        servers: { counter: counterServer(file), ledger: { url: ledger.url } },
        tools: { ledger__send_money: { idempotent: true } },
        rules: [COUNTER_RULE, { id: 'pay', tool: 'ledger__send_money', when: 'always', reason: 'Money.' }],
      }),
    });
    const agent = await agentOf(host);
    const token = await host.principalToken('ada');
    const asked = heldAs(await agent.call('counter__increment', { n: 1, delay_ms: 60_000 }));
    const paid = heldAs(await agent.call('ledger__send_money', { to: 'Northwind', amount: 5 }));
    for (const id of [asked, paid]) await approve(host.as(token), id);
    const allowed = agent.call('counter__increment', { n: 2, delay_ms: 60_000, pass: true }).catch(() => 'gone');
    await until('all were sent', () => executionsIn(file).length === 2 && arrived >= 1);
    await host.kill();
    await allowed;
    isLost = false;

    await host.start();
    const ada = host.as(token);
    const question = await until(
      'the person is asked',
      async () => (await pendingOf(ada)).find(({ kind }) => kind === 'outcome'),
      LEASE_MS,
    );
    expect(question).toMatchObject({ call: { tool: 'counter__increment', state: 'unknown', arguments: { n: 1 } } });
    const later = await agentOf(host);
    expect(codeOf(await later.call('counter__increment', { n: 1, delay_ms: 60_000 }))).toBe('outcome_unknown');
    expect(codeOf(await later.call('await_decision', { id: asked }))).toBe('outcome_unknown');
    const { call } = await until(
      'the payment is done',
      async () => {
        const decision = await readDecision(ada, paid);
        return decision.call?.state === 'done' ? decision : null;
      },
      LEASE_MS,
    );
    expect(arrived).toBeGreaterThan(1);
    expect(ledger.payments()).toMatchObject([{ to: 'Northwind', amount: 5, key: call?.id }]);
    // The person looked, and it had arrived: nothing more happens.
    mustBe(await answer(ada, question.id, { effect: 'refuse', note: 'It had arrived.' }));
    await host.stop();
    await ledger.close();
    const record = await readRecord(host.dataDir);
    expect(executionsIn(file)).toHaveLength(2);
    const payment = { args: {}, meta: { 'io.countersign/idempotency-key': call?.id } };
    expect(contradictions(record, [...executionsIn(file), payment])).toEqual([]);
    expect(record.calls.map(({ state }) => state)).not.toContain('executing');
    expect(record.decisions.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
  });
});
