import type { Decision } from '@countersign/contracts';
import { dispatchCall, extendDecision, freezeHost, thawHost } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const HOUR_MS = 3_600_000;
const SOON = { ...EAT, expires: '1h' };
/** The pending decision that this principal is to answer. */
const askedOf = async (on: TestHost, name: string): Promise<Decision> =>
  (await on.decisions(name, 'pending')).find((decision) => decision.answerBy.includes(name)) as Decision;
const LATER = { ...EAT, id: 'too', answer_by: ['ben'], expires: '24h' };

describe('the deadlines of one call that several principals answer', () => {
  it('are one: after the earliest an answer could lead nowhere, so none is taken (A1)', async () => {
    const on = await host({ rules: [SOON, LATER] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    const [ofAda, ofBen] = [await askedOf(on, 'ada'), await askedOf(on, 'ben')];
    expect(ofBen.expiresAt).toBe(ofAda.expiresAt);
    expect(await on.answer('ada', ofAda.id, {})).toMatchObject({ ok: true });
    on.pass(HOUR_MS);
    expect(await on.answer('ben', ofBen.id, {})).toMatchObject({ ok: false, error: { code: 'decision.expired' } });
  });

  it('can’t be moved beyond what another one approved, so that nobody is promised what can’t be sent', async () => {
    const on = await host({ rules: [SOON, LATER] });
    const held = await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    const [ofAda, ofBen] = [await askedOf(on, 'ada'), await askedOf(on, 'ben')];
    const ben = await on.caller('ben');
    const at = (ms: number) => new Date(Date.parse(on.deps.now()) + ms).toISOString();
    const moved = await extendDecision(on.deps, ben, ofBen.id, { version: ofBen.version, expiresAt: at(3 * HOUR_MS) });
    expect(moved).toMatchObject({ ok: true });
    expect(await on.answer('ada', ofAda.id, {})).toMatchObject({ ok: true });
    const version = moved.ok ? moved.value.version : 0;
    const refused = await extendDecision(on.deps, ben, ofBen.id, { version, expiresAt: at(5 * HOUR_MS) });
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'input.invalid', message: expect.stringContaining('ada approved this call until') },
    });
    expect(await on.answer('ben', ofBen.id, {})).toMatchObject({ ok: true });
    if (held.kind === 'held') await dispatchCall(on.deps, held.call);
    expect(on.upstreams.seen).toHaveLength(1);
  });

  it('stop during a freeze for what one has approved and another has still to answer, too', async () => {
    const on = await host({ rules: [SOON, LATER] });
    const held = await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    expect(await on.answer('ada', (await askedOf(on, 'ada')).id, {})).toMatchObject({ ok: true });
    await freezeHost(on.deps, { operator: true }, 'A look round.');
    on.pass(5 * HOUR_MS);
    expect(await thawHost(on.deps, { operator: true })).toMatchObject({ ok: true });
    expect(await on.answer('ben', (await askedOf(on, 'ben')).id, {})).toMatchObject({ ok: true });
    if (held.kind === 'held') await dispatchCall(on.deps, held.call);
    expect(on.upstreams.seen).toHaveLength(1);
  });

  it('lose nothing by a freeze during which the clock is set back', async () => {
    const on = await host({ rules: [SOON] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    const [before] = await on.decisions('ada', 'pending');
    await freezeHost(on.deps, { operator: true }, 'A look round.');
    on.pass(-2 * HOUR_MS);
    expect(await thawHost(on.deps, { operator: true })).toMatchObject({ ok: true });
    expect((await on.decisions('ada', 'pending'))[0]?.expiresAt).toBe(before?.expiresAt);
  });
});

describe('an approval with edited arguments that is asked about anew', () => {
  it('runs what was edited and shown again, once the new question is approved', async () => {
    const on = await host({ rules: [EAT] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 9 });
    const [first] = await on.decisions('ada', 'pending');
    expect(await on.answer('ada', first!.id, { editedArgs: { action: 'eat', amount: 1 } })).toMatchObject({ ok: true });
    on.setRules([EAT, { id: 'new', tool: 'jar__*', reason: 'Everything in the jar is asked about now.' }]);
    await on.work();
    const [second] = await on.decisions('ada', 'pending');
    expect(second).toMatchObject({ supersedes: first!.id, call: { effectiveArguments: { action: 'eat', amount: 1 } } });
    expect(await on.answer('ada', second!.id, {})).toMatchObject({ ok: true });
    await on.work();
    expect(on.upstreams.seen.map((seen) => seen.args)).toEqual([{ action: 'eat', amount: 1 }]);
  });
});
