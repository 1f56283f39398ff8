/** kill -9 at random moments of a busy host, again and again on one data directory. The seed is printed; SEED repeats a run. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allOf, answer } from '../e2e/answers.ts';
import { type Agent, codeOf, connectAgent, heldAs, textOf } from '../e2e/mcp-clients.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from '../e2e/sample-config.ts';
import { prepareHost, scratch } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import { contradictions, readRecord } from './record.ts';

const ROUNDS = 6;
const LEASE_MS = 60_000;

/** mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What the outside was told before a kill, and therefore must still be true after it. */
type Told = { readonly held: Set<string>; readonly answered: Map<string, 'approve' | 'refuse'>; readonly ran: Set<number> };

it(`loses nothing and repeats nothing over ${ROUNDS} kills`, async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.info(`random-kills: SEED=${seed}`);
  const random = randomFrom(seed);
  const file = join(scratch('counted'), 'counted.jsonl');
  const host = prepareHost({ config: aConfig({ servers: { counter: counterServer(file) }, rules: [COUNTER_RULE] }) });
  const told: Told = { held: new Set(), answered: new Map(), ran: new Set() };
  await host.start();
  const adaToken = await host.principalToken('ada');
  const agentToken = await host.agentToken('researcher', { hold: { wait: 0, wait_with_progress: 0 } });
  let n = 0;
  const acknowledged = () => told.held.size + told.answered.size + told.ran.size;

  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) await host.start();
    let isOver = false;
    const goal = acknowledged() + 1 + Math.floor(random() * 60);
    const busy = Array.from({ length: 4 }, () => work(() => isOver));
    // Counted in answers and not in seconds: a slow machine must not be killed before it did anything.
    await until('the host is busy', () => acknowledged() >= goal, 60_000);
    await new Promise((resolve) => setTimeout(resolve, random() * 30));
    isOver = true;
    await host.kill();
    await Promise.all(busy);
  }
  await host.start();
  const states = async () => (await allOf(host.as(adaToken), 'counter__increment')).map(({ call }) => call?.state ?? '');
  await until(
    'nothing is on its way any more',
    async () => (await states()).every((state) => !['queued', 'executing'].includes(state)),
    LEASE_MS,
  );
  await host.stop();

  const record = await readRecord(host.dataDir);
  const executions = executionsIn(file);
  console.info(
    `random-kills: ${record.calls.length} calls, ${record.decisions.length} decisions, ${executions.length} executions, ${record.events.length} events, ${record.calls.filter(({ state }) => state === 'unknown').length} unknown`,
  );
  expect(contradictions(record, executions)).toEqual([]);
  expect(new Set(executions.map(({ args }) => args.n)).size).toBe(executions.length);
  const stateOf = new Map(record.decisions.map(({ id, state }) => [id, state]));
  for (const id of told.held) expect([id, stateOf.get(id)]).toEqual([id, expect.any(String)]);
  for (const [id, effect] of told.answered) expect([id, stateOf.get(id)]).toEqual([id, effect === 'approve' ? 'approved' : 'refused']);
  for (const done of told.ran) expect(executions.filter(({ args }) => args.n === done)).toHaveLength(1);
  expect(record.calls.filter(({ state }) => ['running', 'queued', 'executing'].includes(String(state)))).toEqual([]);
  const unknown = record.calls.filter(({ state, effect }) => state === 'unknown' && effect === 'ask').map(({ id }) => id);
  const asked = record.decisions.filter(({ kind, state }) => kind === 'outcome' && state === 'pending').map(({ call }) => call);
  expect(asked.sort()).toEqual(unknown.sort());

  /** Calls, has held ones answered, and fetches what came of them, until the host is gone. */
  async function work(isOver: () => boolean): Promise<void> {
    const ada = host.as(adaToken);
    let agent: Agent | undefined;
    while (!isOver()) {
      try {
        agent ??= await connectAgent(host.mcp(), agentToken);
        n += 1;
        const own = n;
        const pass = random() < 0.4;
        const result = await agent.call(
          'counter__increment',
          { n: own, delay_ms: Math.floor(random() * 60), ...(pass && { pass }) },
          { timeout: 10_000 },
        );
        if (pass) {
          if (textOf(result) === 'incremented') told.ran.add(own);
          continue;
        }
        if (codeOf(result) !== 'pending') continue;
        const id = heldAs(result);
        told.held.add(id);
        if (random() < 0.2) continue;
        const effect = random() < 0.8 ? 'approve' : 'refuse';
        const answered = await answer(ada, id, { effect });
        if (answered.ok) told.answered.set(id, effect);
        const end = await agent.call('await_decision', { id, wait_seconds: 1 }, { timeout: 10_000 });
        if (textOf(end) === 'incremented') told.ran.add(own);
      } catch (error) {
        // Only a host that is gone excuses a failure.
        if (!isOver()) throw error;
      }
    }
  }
}, 240_000);
