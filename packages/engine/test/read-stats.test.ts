import { Stats, StatsQuery } from '@countersign/contracts';
import { expireDecision, readStats, withdrawDecision } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, SMASH, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const HOUR = 3_600_000;

const figures = async (on: TestHost, name = 'ada', query: object = {}) => {
  const stats = await readStats(on.deps, await on.caller(name), StatsQuery.parse(query));
  if (!stats.ok) throw new Error(stats.error.message);
  return Stats.parse(stats.value);
};
let amount = 0;
const ask = async (on: TestHost, agent = 'researcher', tool = 'jar__cookie_jar') => {
  const held = await on.call(agent, tool, { action: 'eat', amount: amount++ });
  if (held.kind !== 'held') throw new Error(`Not held: ${held.kind}`);
  return held.decisions[0]!.id;
};
const answerAfter = async (on: TestHost, ms: number, effect: 'approve' | 'refuse' = 'approve') => {
  const id = await ask(on);
  on.pass(ms);
  await on.answer('ada', id, { effect });
};

describe('figures', () => {
  it('count how each question ended, and how long the answers took', async () => {
    const on = await host({ rules: [EAT] });
    for (const ms of [500, 1_999, 2_000, 10_000]) await answerAfter(on, ms);
    await answerAfter(on, 60_000, 'refuse');
    await withdrawDecision(on.deps, await on.caller('researcher'), await ask(on), 'no need');
    const overdue = await ask(on);
    on.pass(25 * HOUR);
    await expireDecision(on.deps, overdue);
    await ask(on);
    const { total, pending } = await figures(on);
    expect(total).toEqual({ asks: 8, approved: 4, refused: 1, expired: 1, withdrawn: 1, medianMs: 2_000, p90Ms: 40_000, under2s: 2 });
    expect(pending).toBe(1);
  });

  it('are nothing where nothing was asked', async () => {
    const on = await host();
    const nothing = { asks: 0, approved: 0, refused: 0, expired: 0, withdrawn: 0, medianMs: null, p90Ms: null, under2s: 0 };
    expect(await figures(on, 'ada', { days: 2 })).toEqual({
      since: '2026-11-29T00:00:00.000Z',
      until: '2026-11-30T12:00:00.000Z',
      total: nothing,
      pending: 0,
      days: [
        { day: '2026-11-29', ...nothing },
        { day: '2026-11-30', ...nothing },
      ],
      rules: [],
      agents: [],
    });
  });

  it('are by rule, each question with every rule that asked it, and by agent', async () => {
    const on = await host({ rules: [EAT, { ...SMASH, tool: 'jar__*' }] });
    await ask(on);
    await ask(on);
    await ask(on, 'researcher', 'jar__smash_jar');
    const { rules, agents } = await figures(on);
    expect(rules.map(({ name, asks }) => [name, asks])).toEqual([
      ['smash', 3],
      ['eat', 2],
    ]);
    expect(agents.map(({ name, asks }) => [name, asks])).toEqual([['researcher', 3]]);
  });

  it('are those of the questions that the principal may answer', async () => {
    const on = await host({ rules: [{ ...EAT, answer_by: ['ben'] }] });
    await ask(on);
    await ask(on, 'treasurer');
    expect((await figures(on, 'ada')).total.asks).toBe(0);
    expect((await figures(on, 'ben')).agents.map(({ name }) => name)).toEqual(['researcher', 'treasurer']);
    expect(await readStats(on.deps, await on.caller('researcher'), { days: 1, tz: 'UTC' })).toMatchObject({
      ok: false,
      error: { code: 'credential.forbidden' },
    });
  });

  it.each([
    // 23:30 in UTC is the next day in Berlin and the same day in New York.
    ['UTC', '2026-11-30', '2026-11-29T00:00:00.000Z'],
    ['Europe/Berlin', '2026-12-01', '2026-11-29T23:00:00.000Z'],
    ['America/New_York', '2026-11-30', '2026-11-29T05:00:00.000Z'],
    ['Asia/Kathmandu', '2026-12-01', '2026-11-29T18:15:00.000Z'],
  ])('have the days of %s', async (tz, today, since) => {
    const on = await host({ rules: [EAT] });
    on.pass(11.5 * HOUR);
    await ask(on);
    const stats = await figures(on, 'ada', { days: 2, tz });
    expect([stats.since, stats.days.map(({ day, asks }) => [day, asks])]).toEqual([
      since,
      [
        [stats.days[0]?.day, 0],
        [today, 1],
      ],
    ]);
  });

  it('keep a day whole where the clocks change', async () => {
    const on = await host({ rules: [EAT] });
    // From 30 November to the morning of 29 March 2027, when Berlin skips an hour.
    on.pass(Date.parse('2027-03-28T21:30:00.000Z') - Date.parse(on.deps.now()));
    await ask(on);
    on.pass(Date.parse('2027-03-29T10:00:00.000Z') - Date.parse(on.deps.now()));
    const stats = await figures(on, 'ada', { days: 3, tz: 'Europe/Berlin' });
    expect(stats.since).toBe('2027-03-26T23:00:00.000Z');
    expect(stats.days.map(({ day, asks }) => [day, asks])).toEqual([
      ['2027-03-27', 0],
      ['2027-03-28', 1],
      ['2027-03-29', 0],
    ]);
  });

  it('leave out what was raised before their first day, but not from what is open', async () => {
    const on = await host({ rules: [{ ...EAT, expires: '30d' }] });
    await ask(on);
    on.pass(3 * 24 * HOUR);
    await ask(on);
    const { total, pending } = await figures(on, 'ada', { days: 2 });
    expect([total.asks, pending]).toEqual([1, 2]);
  });
});
