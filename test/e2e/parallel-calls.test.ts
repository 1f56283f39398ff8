import { join } from 'node:path';
import type { Client } from '@countersign/client';
import { beforeAll, expect, it } from 'vitest';
import { answer, approve, pendingOf, readDecision, settledCall } from './answers.ts';
import { connectAgent, type Era, heldAs, textOf } from './mcp-clients.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from './sample-config.ts';
import { type StartedHost, scratch, startHost } from './started-host.ts';

const counted = join(scratch('parallel'), 'counted.jsonl');
const executions = (test: string) => executionsIn(counted).filter(({ args }) => args.test === test);
let host: StartedHost;
let ada: Client;
beforeAll(async () => {
  host = await startHost({ config: aConfig({ servers: { counter: counterServer(counted) }, rules: [COUNTER_RULE] }) });
  ada = await host.principal('ada');
});

it.each<Era>(['2025-11-25', '2026-07-28'])(
  'makes eight decisions of eight parallel calls of a %s client, answerable in any order; none is skipped, none gets an invented result (B1)',
  async (era) => {
    const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'), era);
    const test = `eight ${era}`;
    const held = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => ({ n, id: heldAs(await agent.call('counter__increment', { test, n })) })),
    );
    expect(new Set(held.map(({ id }) => id)).size).toBe(8);
    expect((await pendingOf(ada)).filter(({ call }) => call?.arguments.test === test)).toHaveLength(8);

    const order = [5, 0, 7, 2, 6, 1, 4, 3];
    for (const n of order) {
      const { id } = held[n]!;
      expect((await readDecision(ada, id)).call?.arguments.n).toBe(n);
      if (n === 2) await answer(ada, id, { effect: 'refuse', note: 'Not two.' });
      else await approve(ada, id);
    }
    const results = await Promise.all(held.map(({ id }) => agent.call('await_decision', { id, wait_seconds: 30 })));
    for (const [n, result] of results.entries()) expect(textOf(result)).toContain(n === 2 ? 'Not two.' : 'incremented');
    expect(
      executions(test)
        .map(({ args }) => args.n)
        .sort(),
    ).toEqual([0, 1, 3, 4, 5, 6, 7]);
  },
);

it('runs an approved call once under 100 approvals at once, and every repeat of the call attaches to its result (B7)', async () => {
  const agents = await Promise.all(
    (['2025-11-25', '2026-07-28', 'auto'] as const).map(async (era) => connectAgent(host.mcp(), await host.agentToken('researcher'), era)),
  );
  const args = { test: 'at most once', delay_ms: 300 };
  const ids = await Promise.all(Array.from({ length: 12 }, async (_, i) => heldAs(await agents[i % 3]!.call('counter__increment', args))));
  const [id = ''] = ids;
  expect(new Set(ids).size).toBe(1);
  const { version, shownDigest } = await readDecision(ada, id);
  const waiting = Array.from({ length: 12 }, (_, i) => agents[i % 3]!.call('await_decision', { id, wait_seconds: 30 }, {}));
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => ada.decisions.answer(id, { version, shownDigest, effect: 'approve' })),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  for (const lost of answers.filter(({ ok }) => !ok))
    expect(lost).toMatchObject({ error: { code: 'decision.already_answered', status: 409 } });

  const repeated = await Promise.all(Array.from({ length: 12 }, (_, i) => agents[i % 3]!.call('counter__increment', args)));
  for (const result of repeated)
    expect(result._meta?.['io.countersign/decision'] === undefined ? textOf(result) : heldAs(result)).toMatch(/^incremented$|^dec_/);
  await settledCall(ada, id);
  await Promise.all(waiting);
  expect(textOf(await agents[0]!.call('await_decision', { id }))).toBe('incremented');
  expect(executions('at most once')).toHaveLength(1);
});

it('judges the same call afresh once its result was fetched, and keeps one approval for one call (A5, B7)', async () => {
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  const args = { test: 'attached' };
  const id = heldAs(await agent.call('counter__increment', args));
  await approve(ada, id);
  await settledCall(ada, id);
  expect(textOf(await agent.call('counter__increment', { ...args }))).toBe('incremented');
  expect(heldAs(await agent.call('counter__increment', args))).not.toBe(id);
  expect(executions('attached')).toHaveLength(1);
});
