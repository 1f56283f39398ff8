import { join } from 'node:path';
import type { Client } from '@countersign/client';
import type { Decision } from '@countersign/contracts';
import { startFixture } from '@countersign/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOf, answer, approve, pendingOf, readDecision, settledCall } from './answers.ts';
import { type Agent, codeOf, connectAgent, type Era, heldAs, textOf } from './mcp-clients.ts';
import { aConfig, COUNTER_RULE, executionsIn } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';
import { until } from './until.ts';

const counted = join(scratch('time'), 'counted.jsonl');
const executions = (test: string) => executionsIn(counted).filter(({ args }) => args.test === test);
const BRIEF = { id: 'brief', tool: 'brief__increment', when: 'always', reason: 'Not for long.', expires: '1s' };
/** Long enough to raise a batch of decisions and to meet each of them at its deadline. */
const RACE = { id: 'race', tool: 'race__increment', when: 'always', reason: 'A race.', expires: '4s', answer_by: ['ada', 'ben'] };
const ERAS: readonly Era[] = ['2025-11-25', '2026-07-28'];

let host: StartedHost;
let agent: Agent;
let ada: Client;
let ben: Client;
const fixtures: Awaited<ReturnType<typeof startFixture>>[] = [];
beforeAll(async () => {
  const servers: Record<string, object> = {};
  for (const name of ['counter', 'brief', 'race']) {
    const fixture = await startFixture({ mode: 'counter', counterFile: counted });
    fixtures.push(fixture);
    servers[name] = { url: fixture.url };
  }
  host = await startHost({ config: aConfig({ servers, rules: [COUNTER_RULE, BRIEF, RACE] }) });
  agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  ada = await host.principal('ada');
  ben = await host.principal('ben');
});
afterAll(async () => {
  await Promise.all(fixtures.map((fixture) => fixture.close()));
});

const ROUNDS = 500;
const LANES = 6;
type Lost = { readonly code: string; readonly status?: number; readonly message: string };

/**
 * Answers yes and no at once: some seconds before the deadline, at that very instant, or a moment after it, with either answer sent first.
 * @returns what the answers say of the decision, and the errors.
 */
async function raceFor(id: string, round: number) {
  const { version, shownDigest, expiresAt } = await readDecision(ada, id);
  const at = Date.parse(expiresAt) + ([-3000, 0, 3][round % 3] ?? 0);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));
  const sayYes = () => ada.decisions.answer(id, { version, shownDigest, effect: 'approve' });
  const sayNo = () => ben.decisions.answer(id, { version, shownDigest, effect: 'refuse', note: 'No.' });
  const [yes, no] = round % 2 === 0 ? await Promise.all([sayYes(), sayNo()]) : await inReverse(sayYes, sayNo);
  if (yes.ok && no.ok) throw new Error(`Both took effect on ${id}.`);
  const lost: readonly Lost[] = [yes, no].flatMap((result) => (result.ok ? [] : [result.error]));
  return { id, says: yes.ok ? 'approved' : no.ok ? 'refused' : 'expired', lost };
}

async function inReverse<Yes, No>(sayYes: () => Promise<Yes>, sayNo: () => Promise<No>): Promise<readonly [Yes, No]> {
  const [no, yes] = await Promise.all([sayNo(), sayYes()]);
  return [yes, no];
}

describe('a deadline', () => {
  it('can’t be answered after, is nobody’s "no", and the agent hears that silence is not consent and nothing was executed (C3, C4)', async () => {
    const id = heldAs(await agent.call('brief__increment', { test: 'overdue' }));
    const { version, shownDigest, expiresAt } = await readDecision(ada, id);
    await until('the deadline', () => new Date().toISOString() >= expiresAt);
    for (const effect of ['approve', 'refuse'] as const) {
      expect(await ada.decisions.answer(id, { version, shownDigest, effect })).toMatchObject({
        ok: false,
        error: { code: 'decision.expired', status: 409 },
      });
    }
    const result = await agent.call('await_decision', { id, wait_seconds: 30 });
    expect(codeOf(result)).toBe('expired');
    expect(textOf(result)).toMatch(/Silence is not consent; nothing was executed/);
    expect(await readDecision(ada, id)).toMatchObject({
      state: 'expired',
      answers: [],
      call: { state: 'refused' },
      outcome: { state: 'not_run' },
    });
    expect(executions('overdue')).toEqual([]);
    expect(heldAs(await agent.call('brief__increment', { test: 'overdue' }))).not.toBe(id);
  });

  it('lets one of approve, refuse and expire at the same instant take effect and tells the others which, 500 times (C2)', async () => {
    const token = await host.agentToken('researcher', { hold: { wait: 0, wait_with_progress: 0 } });
    const racer = await connectAgent(host.mcp(), token);
    const races: Promise<{ readonly id: string; readonly says: string; readonly lost: readonly Lost[] }>[] = [];
    // A few at a time, so that each is met at its own deadline and not in a queue behind all the others.
    const raise = async (lane: number): Promise<void> => {
      for (let round = lane; round < ROUNDS; round += LANES) {
        const id = heldAs(await racer.call('race__increment', { test: 'race', round }));
        races.push(raceFor(id, round));
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, lane) => raise(lane)));
    const ended = await Promise.all(races);
    const isOnItsWay = ({ state, call }: Decision) => state === 'pending' || !['done', 'refused'].includes(call?.state ?? '');
    const records = await until(
      'every call has ended',
      async () => {
        const all = await allOf(ada, 'race__increment');
        return all.some(isOnItsWay) ? null : all;
      },
      60_000,
    );
    expect([ended.length, records.length]).toEqual([ROUNDS, ROUNDS]);

    const tally = { approved: 0, refused: 0, expired: 0, pending: 0, withdrawn: 0 };
    for (const { id, says, lost } of ended) {
      const { state, answers } = records.find((record) => record.id === id) ?? (await readDecision(ada, id));
      tally[state] += 1;
      expect([says, answers.length]).toEqual([state, state === 'expired' ? 0 : 1]);
      for (const { code, status, message } of lost) {
        expect([status, code]).toEqual([409, state === 'expired' ? 'decision.expired' : 'decision.already_answered']);
        expect(message).toMatch(state === 'expired' ? /expired/ : / by (ada|ben) at \d{4}-/);
      }
    }
    console.info(`C2: ${JSON.stringify(tally)}`);
    // Approved at the last moment and not sent before the deadline, a call is refused as expired; all others ran, once.
    const ran = records.filter(({ call }) => call?.state === 'done');
    expect(ran.filter(({ state }) => state !== 'approved')).toEqual([]);
    expect(ran.map(({ call }) => call?.arguments.round).sort()).toEqual(
      executions('race')
        .map(({ args }) => args.round)
        .sort(),
    );
  }, 240_000);
});

describe('a held call', () => {
  it.each(ERAS)('answers a %s client that gives up after 5 s in time, and keeps no socket longer than its budget (C5)', async (era) => {
    const token = await host.agentToken('researcher', { hold: { wait: 3000, wait_with_progress: 3500 } });
    const impatient = await connectAgent(host.mcp(), token, era);
    const began = performance.now();
    const [plain, followed] = await Promise.all([
      impatient.call('counter__increment', { test: 'patience', era }, { timeout: 5000 }),
      impatient.call('counter__increment', { test: 'progress', era }, { timeout: 5000, onprogress: () => undefined }),
    ]);
    expect(performance.now() - began).toBeGreaterThan(2900);
    for (const result of [plain, followed]) expect(codeOf(result)).toBe('pending');
    expect(codeOf(await impatient.call('await_decision', { id: heldAs(plain), wait_seconds: 3600 }, { timeout: 5000 }))).toBe('pending');
  });

  it('may be answered before its agent begins to await it, and awaited from other sessions, in either era (C7)', async () => {
    const id = heldAs(await agent.call('counter__increment', { test: 'early answer' }));
    await approve(ada, id);
    await settledCall(ada, id);
    for (const era of [...ERAS, 'auto'] as const) {
      const other = await connectAgent(host.mcp(), await host.agentToken('researcher'), era);
      for (let again = 0; again < 2; again += 1) expect(textOf(await other.call('await_decision', { id }))).toBe('incremented');
    }
    const stranger = await connectAgent(host.mcp(), await host.agentToken('treasurer'));
    const unknown = await stranger.call('await_decision', { id: 'dec_00000000000000000000000000' });
    const foreign = await stranger.call('await_decision', { id });
    expect(textOf(foreign).replaceAll(id, 'ID')).toBe(textOf(unknown).replaceAll('dec_00000000000000000000000000', 'ID'));
    expect(executions('early answer')).toHaveLength(1);
  });

  it.each(ERAS)('that a %s client gives up before it knew the id is withdrawn, which is not a "no" (C8)', async (era) => {
    const token = await host.agentToken('researcher', { hold: { wait: 20_000, wait_with_progress: 20_000 } });
    const leaver = await connectAgent(host.mcp(), token, era);
    const args = { test: `left ${era}` };
    const giveUp = new AbortController();
    const calling = leaver.call('counter__increment', args, { signal: giveUp.signal }).catch(() => 'gone');
    const open = await until('the question', async () => (await pendingOf(ada)).find(({ call }) => call?.arguments.test === args.test));
    giveUp.abort();
    expect(await calling).toBe('gone');
    const settled = await until('it is taken back', async () => {
      const decision = await readDecision(ada, open.id);
      return decision.state === 'pending' ? null : decision;
    });
    expect(settled).toMatchObject({ state: 'withdrawn', answers: [], call: { state: 'abandoned' } });
    // Not a "no": the same call is asked again.
    expect(heldAs(await agent.call('counter__increment', args))).not.toBe(open.id);
    expect(executions(args.test)).toEqual([]);
  });

  it('that its agent withdraws is withdrawn, and a refused one has no path to execution (C8)', async () => {
    const id = heldAs(await agent.call('counter__increment', { test: 'withdrawn' }));
    await agent.call('withdraw_decision', { id, reason: 'The run was cancelled.' });
    expect(await readDecision(ada, id)).toMatchObject({ state: 'withdrawn', answers: [], call: { state: 'refused' } });
    expect(await answer(ada, id)).toMatchObject({ ok: false, error: { code: 'decision.withdrawn', status: 409 } });
    expect(codeOf(await agent.call('await_decision', { id }))).toBe('withdrawn');

    const refused = heldAs(await agent.call('counter__increment', { test: 'refused' }));
    mustBe(await answer(ada, refused, { effect: 'refuse' }));
    expect(await answer(ada, refused)).toMatchObject({ ok: false, error: { code: 'decision.already_answered' } });
    mustBe(await ada.host.freeze('Shaking it.'));
    mustBe(await ada.host.thaw());
    expect(codeOf(await agent.call('await_decision', { id: refused }))).toBe('refused_by_principal');
    expect([...executions('withdrawn'), ...executions('refused')]).toEqual([]);
  });
});
