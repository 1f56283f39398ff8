import { MandatePreview, MandatePreviewInput, type Term } from '@countersign/contracts';
import { admitAgent, getMandate, previewMandate, setMandate } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const SCOPES = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'];
const ALL: Term = { tool: '*', when: 'anything' };
const FEW: Term = { tool: 'jar__cookie_jar', when: 'up to three', match: 'args.amount <= 3' };

const preview = async (on: TestHost, terms: readonly Term[], more: object = {}, name = 'ada') => {
  const shown = await previewMandate(on.deps, await on.caller(name), MandatePreviewInput.parse({ scopes: SCOPES, terms, ...more }));
  if (!shown.ok) throw new Error(`${shown.error.code}: ${shown.error.message}`);
  return MandatePreview.parse(shown.value);
};
const eat = (on: TestHost, amount: unknown, agent = 'researcher') => on.call(agent, 'jar__cookie_jar', { action: 'count', amount });
const moves = ({ changed }: MandatePreview) => changed.map(({ was, now }) => `${was} → ${now}`);

describe('a preview of other terms', () => {
  it('names the calls that would be judged otherwise, newest first', async () => {
    const on = await host();
    for (const amount of [1, 5, 2, 9]) {
      on.pass(1000);
      await eat(on, amount);
    }
    await on.call('researcher', 'files__write_file', { path: '/tmp/a' });
    const shown = await preview(on, [FEW]);
    expect(shown).toMatchObject({ compared: 'narrowed', judged: 5, unjudged: 0 });
    expect(shown.changed.map(({ tool, agent, was, now }) => [tool, agent, was, now])).toEqual([
      ['files__write_file', 'researcher', 'allow', 'ask'],
      ['jar__cookie_jar', 'researcher', 'allow', 'ask'],
      ['jar__cookie_jar', 'researcher', 'allow', 'ask'],
    ]);
    expect(shown.changed[1]?.at).toBe('2026-11-30T12:00:04.000Z');
  });

  it('compares with the terms in force, not with what was said then', async () => {
    const on = await host();
    await eat(on, 9);
    await setMandate(on.deps, await on.caller('ada'), { scopes: [...SCOPES] as never, terms: [FEW] }, 1);
    const asked = await eat(on, 8);
    expect(asked.kind).toBe('held');
    expect(await preview(on, [FEW])).toMatchObject({ compared: 'same', judged: 2, changed: [] });
    expect(moves(await preview(on, [ALL]))).toEqual(['ask → allow', 'ask → allow']);
  });

  it('leaves to the rules what is theirs', async () => {
    const on = await host({ rules: [{ ...EAT, effect: 'refuse' }, { tool: 'jar__smash_jar' }] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    await on.call('researcher', 'jar__smash_jar', {});
    expect(await preview(on, [])).toMatchObject({ judged: 2, changed: [] });
  });

  it.each([
    ['widened', [ALL, FEW]],
    ['same', [ALL]],
    ['changed', [{ tool: '*', when: 'in other words' }]],
    ['narrowed', []],
  ])('says how the terms compare: %s', async (compared, terms) => {
    const on = await host();
    expect((await preview(on, terms)).compared).toBe(compared === 'widened' ? 'changed' : compared);
    await setMandate(on.deps, await on.caller('ada'), { scopes: [...SCOPES] as never, terms: [FEW] }, 1);
    expect((await preview(on, [FEW, ALL])).compared).toBe('widened');
  });

  it('warns of what the terms do beside that', async () => {
    const on = await host();
    const { warnings } = await preview(on, [{ tool: 'nowhere__*', when: 'nothing' }], { scopes: ['tools:call'] });
    expect(warnings).toEqual(
      expect.arrayContaining([expect.stringContaining('Without directory:read'), expect.stringContaining('nowhere__*')]),
    );
  });

  it('takes every call away where the scope for tools is missing', async () => {
    const on = await host();
    await eat(on, 1);
    expect(moves(await preview(on, [ALL], { scopes: ['directory:read'] }))).toEqual(['allow → refuse']);
  });

  it('covers no more calls by a term than it has uses, and none by one that is over', async () => {
    const on = await host();
    for (const amount of [1, 2, 3]) await eat(on, amount);
    expect(moves(await preview(on, [{ ...ALL, uses: 2 }]))).toEqual(['allow → ask']);
    expect(moves(await preview(on, [{ ...ALL, expires_at: '2026-11-30T12:00:00.000Z' }]))).toHaveLength(3);
    await setMandate(on.deps, await on.caller('ada'), { scopes: [...SCOPES] as never, terms: [{ ...ALL, uses: 2 }] }, 1);
    await eat(on, 4);
    // One of two uses is gone, so the same terms cover one of four.
    expect(moves(await preview(on, [ALL]))).toEqual(['ask → allow', 'ask → allow', 'ask → allow']);
  });

  it('counts what it cannot judge, and never takes it for unchanged', async () => {
    const on = await host();
    await eat(on, 1);
    await eat(on, 2);
    await eat(on, 3);
    await on.call('researcher', 'files__write_file', { text: 'x'.repeat(300_000) });
    const { db } = on.deps.store;
    await db.execute(`update call set run = 'run_gone' where args like '%"amount":1%'`);
    await db.execute(`update call set tool = 'gone__tool' where args like '%"amount":2%'`);
    const shown = await preview(on, []);
    expect(shown).toMatchObject({ judged: 1, unjudged: 3 });
    expect(moves(shown)).toEqual(['allow → ask']);
  });

  it('judges by the time of the call where a rule asks for it', async () => {
    const on = await host({ rules: [{ tool: 'jar__*', match: 'now < timestamp("2026-12-01T00:00:00Z")', effect: 'refuse' }] });
    await eat(on, 1);
    on.pass(3 * 86_400_000);
    await eat(on, 2);
    expect(moves(await preview(on, []))).toEqual(['allow → ask']);
  });

  it('is about the last days, and says when it left calls out', async () => {
    const on = await host();
    await eat(on, 1);
    on.pass(3 * 86_400_000);
    await eat(on, 2);
    expect((await preview(on, [], { days: 2 })).judged).toBe(1);
    expect((await preview(on, [], { days: 4 })).judged).toBe(2);
    await on.deps.store.db.execute(
      `insert into call (id, agent, principal, run, tool, args, args_digest, tool_digest, rules_digest, authority, mandate_versions, effect, grounds, state, version, attempt, is_idempotent, created_at)
       select 'call_more' || g, agent, principal, run, tool, args, args_digest, tool_digest, rules_digest, authority, mandate_versions, effect, grounds, state, version, attempt, is_idempotent, created_at
       from (select * from call limit 1) as one, generate_series(1, 5200) as g`,
    );
    const { judged, unjudged, warnings } = await preview(on, [ALL], { days: 4 });
    expect(judged + unjudged).toBe(5_000);
    expect(warnings).toContainEqual('Only the newest 5000 calls of the last 4 days were looked at.');
  });

  it('is about a principal’s own agents, and for principals alone', async () => {
    const on = await host();
    await on.call('treasurer', 'jar__cookie_jar', {});
    expect((await preview(on, [])).judged).toBe(0);
    await admitAgent(on.deps, { operator: true }, 'newcomer');
    const asAgent = await previewMandate(on.deps, await on.caller('researcher'), MandatePreviewInput.parse({}));
    expect(asAgent).toMatchObject({ ok: false, error: { code: 'credential.forbidden' } });
  });

  it('refuses terms that are none, and records and changes nothing', async () => {
    const on = await host();
    await eat(on, 1);
    const [events, mandate] = [await on.events(), await getMandate(on.deps, await on.caller('ada'))];
    const broken = MandatePreviewInput.parse({ scopes: SCOPES, terms: [{ ...FEW, match: 'args.' }] });
    expect(await previewMandate(on.deps, await on.caller('ada'), broken)).toMatchObject({ ok: false, error: { code: 'mandate.invalid' } });
    await preview(on, []);
    expect(await on.events()).toEqual(events);
    expect(await getMandate(on.deps, await on.caller('ada'))).toEqual(mandate);
    expect(on.upstreams.seen).toHaveLength(1);
  });
});
