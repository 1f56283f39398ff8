import { answerDecisions, getMandate, setMandate } from '@countersign/engine';
import { queryAudit } from '@countersign/store';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const FILES = [{ tool: 'files__*', when: 'files' }];
const EATING = { action: 'eat', amount: 3 };
const DAY = 86_400_000;

const mandateOf = async (on: TestHost, name = 'ada') => {
  const mandate = await getMandate(on.deps, await on.caller(name));
  if (!mandate.ok) throw new Error(mandate.error.message);
  return mandate.value;
};

describe('remember', () => {
  it('adds exactly the call that ran to the mandate of who approved it, once it succeeded (D7)', async () => {
    const on = await host({ terms: FILES });
    const { id, end } = await on.held('researcher', 'jar__cookie_jar', EATING);
    const [asked] = await on.decisions('ada', 'pending');
    expect(await on.answer('ada', id, { remember: { ttl_days: 7 } })).toMatchObject({ ok: true });
    expect((await mandateOf(on)).version).toBe(1);
    await on.work();
    expect(await end).toMatchObject({ kind: 'reply' });
    const { version, terms, madeBy } = await mandateOf(on);
    expect({ version, madeBy }).toEqual({ version: 2, madeBy: 'ada' });
    expect(terms).toEqual([...FILES, { ...asked?.rememberTerm, expires_at: '2026-12-07T12:00:00.000Z' }]);

    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'reply' });
    for (const other of [{ action: 'eat' }, { action: 'eat', amount: 4 }, { ...EATING, more: 1 }, {}]) {
      expect(await on.call('researcher', 'jar__cookie_jar', other)).toMatchObject({ kind: 'held' });
    }
    expect(await on.call('researcher', 'jar__smash_jar', EATING)).toMatchObject({ kind: 'held' });
    on.pass(7 * DAY);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'held' });
  });

  it('remembers the arguments that a person made of them, not those that were asked (D7)', async () => {
    const on = await host({ terms: FILES });
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    await on.answer('ada', id, { editedArgs: { action: 'eat', amount: 1 }, remember: {} });
    await on.work();
    expect(await on.call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 1 })).toMatchObject({ kind: 'reply' });
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'held' });
  });

  it('keeps to the number of uses, and to 30 days where no time is given', async () => {
    const on = await host({ terms: FILES });
    await on.call('researcher', 'jar__cookie_jar', EATING);
    const [asked] = await on.decisions('ada', 'pending');
    await on.answer('ada', asked!.id, { remember: { uses: 1 } });
    await on.work();
    expect((await mandateOf(on)).terms[1]).toMatchObject({ uses: 1, expires_at: '2026-12-30T12:00:00.000Z' });
    // The result of the approved call was not fetched yet, so the next identical call gets that one and runs nothing (B7).
    await on.call('researcher', 'jar__cookie_jar', EATING);
    expect(on.upstreams.seen).toHaveLength(1);
    const kinds = [];
    for (let n = 0; n < 2; n += 1) kinds.push((await on.call('researcher', 'jar__cookie_jar', EATING)).kind);
    expect(kinds).toEqual(['reply', 'held']);
  });

  it.each([
    ['the call failed', () => ({ ok: false, error: { sent: true, code: 'upstream.timeout', message: 'No reply.' } }) as const],
    ['upstream refused it', () => ({ ok: true, value: { kind: 'error', error: { code: -32000, message: 'no' } } }) as const],
  ])('adds nothing when %s', async (_, behaviour) => {
    const on = await host({ terms: FILES });
    on.upstreams.behave(behaviour);
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    await on.answer('ada', id, { remember: {} });
    await on.work();
    expect((await mandateOf(on)).version).toBe(1);
  });

  it('stands on top of what the mandate became meanwhile', async () => {
    const on = await host({ terms: FILES });
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    await on.answer('ada', id, { remember: {} });
    const scopes = ['directory:read', 'tools:call', 'decisions:write'] as const;
    await setMandate(on.deps, await on.caller('ada'), { scopes: [...scopes], terms: [{ tool: 'ledger__*', when: 'money' }] }, 1);
    await on.work();
    const mandate = await mandateOf(on);
    expect(mandate).toMatchObject({ version: 3, scopes, terms: [{ tool: 'ledger__*' }, { tool: 'jar__cookie_jar' }] });
  });

  it('changes only the mandate of the principal who wished it', async () => {
    const rules = [{ tool: 'jar__cookie_jar', reason: 'Both share the jar.', answer_by: ['ada', 'ben'], needs: 2 }];
    const on = await host({ rules });
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    await on.answer('ada', id, {});
    await on.answer('ben', id, { remember: {} });
    await on.work();
    expect([(await mandateOf(on, 'ada')).version, (await mandateOf(on, 'ben')).version]).toEqual([1, 2]);
  });

  it('leaves the event that says who widened what, by which decision', async () => {
    const on = await host({ terms: FILES });
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    await on.answer('ada', id, { remember: {} });
    await on.work();
    const { items } = await queryAudit(on.deps.store.db, 'all', { limit: 5, order: 'newest', type: ['mandate.widened'] });
    expect(items).toMatchObject([
      {
        actor: { kind: 'principal', name: 'ada' },
        principal: 'ada',
        decision: id,
        payload: { from: 1, version: 2, remembered: { tool: 'jar__cookie_jar' } },
      },
    ]);
  });

  it('is refused with a "no", for a question without a call, and where the call is too large, and then nothing is answered', async () => {
    const on = await host({ terms: FILES });
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    expect(await on.answer('ada', id, { effect: 'refuse', remember: {} })).toMatchObject({ error: { code: 'input.invalid' } });
    const large = await on.held('researcher', 'jar__cookie_jar', { text: 'x'.repeat(5000) });
    expect(await on.answer('ada', large.id, { remember: {} })).toMatchObject({ error: { code: 'mandate.invalid' } });
    expect((await on.decisions('ada', 'pending')).map((one) => one.rememberTerm === null)).toEqual([true, false]);
    expect(await on.decisions('ada', 'pending')).toHaveLength(2);
  });

  it('can’t be wished by an agent, for itself or for another (D8, E1)', async () => {
    const on = await host({ terms: FILES });
    const { id } = await on.held('researcher', 'jar__cookie_jar', EATING);
    const [decision] = await on.decisions('ada', 'pending');
    const answers = [{ id: decision!.id, version: 1, shownDigest: decision!.shownDigest, effect: 'approve' as const, remember: {} }];
    const { items } = await answerDecisions(on.deps, await on.caller('researcher'), { answers });
    expect(items).toMatchObject([{ id, result: { ok: false, error: { code: 'credential.forbidden' } } }]);
    expect((await mandateOf(on)).version).toBe(1);
  });
});
