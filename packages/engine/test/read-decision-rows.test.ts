import { DecisionRow, type DecisionRowQuery, DecisionRowQuery as Query } from '@countersign/contracts';
import { listDecisionRows } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, SMASH, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const TITLED = { ...EAT, title: '"Eat " + string(args.amount) + " cookies"' };

const page = async (on: TestHost, name: string, query: Partial<Record<keyof DecisionRowQuery, unknown>> = {}) => {
  const listed = await listDecisionRows(on.deps, await on.caller(name), Query.parse(query));
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value;
};
const eat = (on: TestHost, args: object = {}) => on.call('researcher', 'jar__cookie_jar', { action: 'eat', ...args });

describe('a row', () => {
  it('says what its record says, in little', async () => {
    const on = await host({ rules: [{ ...EAT, irreversible: true }, SMASH] });
    await eat(on, { amount: 5, note: 'n'.repeat(100), deep: { b: 1 }, list: [1], empty: '', sure: true, more: 'x' });
    const [record] = await on.decisions('ada');
    const { items } = await page(on, 'ada');
    const [row] = items;
    expect(DecisionRow.parse(row)).toEqual(row);
    const { id, kind, state, version, shownDigest, title, principal, agent, irreversible, allowed, createdAt, expiresAt, settledAt } =
      record!;
    expect(row).toMatchObject({
      id,
      kind,
      state,
      version,
      shownDigest,
      title,
      principal,
      agent,
      irreversible,
      allowed,
      createdAt,
      expiresAt,
      settledAt,
    });
    expect(row).toMatchObject({
      tool: 'jar__cookie_jar',
      hops: 0,
      why: 'the action is "eat"',
      rules: ['eat'],
      settledBy: [],
      irreversible: true,
    });
    // Canonical order; what is no plain value is passed over.
    expect(row?.telling).toEqual([
      { name: 'action', value: 'eat' },
      { name: 'amount', value: '5' },
      { name: 'more', value: 'x' },
      { name: 'note', value: `${'n'.repeat(48)}…` },
    ]);
  });

  it('gives the reason where the condition only says "always", and no values where the title has them', async () => {
    const on = await host({ rules: [TITLED, SMASH] });
    await eat(on, { amount: 5 });
    await on.call('researcher', 'jar__smash_jar', { hard: 'very' });
    const { items } = await page(on, 'ada');
    expect(items.map(({ why, telling, title }) => [why, telling.length, title])).toEqual([
      ['There is no undo.', 1, 'researcher asks: jar__smash_jar'],
      ['the action is "eat"', 0, 'Eat ‹5› cookies'],
    ]);
  });

  it('weighs as little for a megabyte of arguments (E7)', async () => {
    const on = await host({ rules: [EAT] });
    await eat(on, { text: 'é'.repeat(500_000) });
    const [row] = (await page(on, 'ada')).items;
    expect(row?.argumentBytes).toBe(Buffer.byteLength(JSON.stringify({ action: 'eat', text: 'é'.repeat(500_000) })));
    expect(row?.telling).toEqual([]);
    expect(JSON.stringify(row).length).toBeLessThan(1_500);
  });

  it('names who answered, and offers what the viewer may do', async () => {
    const on = await host({ rules: [{ ...EAT, answer_by: ['ada', 'ben'], needs: 2 }] });
    await eat(on);
    const [{ id } = { id: '' }] = await on.decisions('ada');
    await on.answer('ben', id, {});
    expect((await page(on, 'ada')).items).toMatchObject([
      { settledBy: ['ben'], allowed: ['approve', 'refuse', 'extend'], state: 'pending' },
    ]);
    expect((await page(on, 'ben')).items[0]?.allowed).not.toContain('approve');
    expect((await page(on, 'researcher')).items).toMatchObject([{ id, allowed: [] }]);
  });
});

describe('the rows', () => {
  it('are those that the viewer may see, and so is their number', async () => {
    const on = await host({ rules: [EAT] });
    await eat(on);
    await on.call('treasurer', 'jar__cookie_jar', { action: 'eat' });
    expect([(await page(on, 'ada')).total, (await page(on, 'ben')).total, (await page(on, 'newcomer')).total]).toEqual([1, 1, 0]);
  });

  it.each(['age', 'deadline'] as const)('come a page at a time by %s, each with the number of all', async (sort) => {
    const on = await host({ rules: [EAT] });
    for (let amount = 0; amount < 7; amount += 1) {
      on.pass(1000);
      await eat(on, { amount });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor, total } = await page(on, 'ada', { sort, limit: 3, ...(cursor && { cursor }) });
      expect(total).toBe(7);
      seen.push(...items.map((row) => row.telling.find(({ name }) => name === 'amount')?.value ?? ''));
      cursor = nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(sort === 'age' ? ['6', '5', '4', '3', '2', '1', '0'] : ['0', '1', '2', '3', '4', '5', '6']);
  });

  it('are found by state, time, rule, tool and text', async () => {
    const on = await host({ rules: [EAT, SMASH] });
    const start = on.deps.now();
    await eat(on, { who: 'the vicar' });
    on.pass(60_000);
    const middle = on.deps.now();
    await on.call('researcher', 'jar__smash_jar', {});
    const [first] = (await on.decisions('ada')).filter((decision) => decision.call?.tool === 'jar__cookie_jar');
    await on.answer('ada', first!.id, { effect: 'refuse' });
    const totals = async (query: object) => (await page(on, 'ada', query)).total;
    expect(await totals({ state: 'pending' })).toBe(1);
    expect(await totals({ state: 'refused,expired' })).toBe(1);
    expect([await totals({ since: middle }), await totals({ until: middle }), await totals({ since: start })]).toEqual([1, 1, 2]);
    expect([await totals({ rule: 'smash' }), await totals({ tool: 'jar__cookie_jar' }), await totals({ q: 'vicar' })]).toEqual([1, 1, 1]);
  });
});
