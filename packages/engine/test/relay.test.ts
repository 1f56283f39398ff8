import { withdrawDecision } from '@countersign/engine';
import { answersOf, queryAudit } from '@countersign/store';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { consults, fourPrincipals } from './chain-words.ts';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const PAY = { id: 'pay', tool: 'ledger__send_money', reason: 'Money leaves.', expires: '1h' };

async function heldThreeDeep() {
  const on = await host({ ...fourPrincipals(), rules: [PAY] });
  const words = consults(on);
  const [researcher, treasurer] = await words.chain('editor', 'researcher', 'treasurer');
  await words.call(treasurer!.caller, 'ledger__send_money', { amount: 40 });
  const [decision] = await on.decisions('ben', 'pending');
  return { on, ...words, researcher: researcher!, treasurer: treasurer!, id: decision!.id };
}

const relayOf = async (on: TestHost, id: string) => (await on.decisions('ben')).find((decision) => decision.id === id)?.relay;

describe('the way back', () => {
  it('leaves every run above the call a note with the answer and its reason, and the agent that called its result (B2)', async () => {
    const { on, notes, call, treasurer, researcher, id } = await heldThreeDeep();
    expect(await notes('editor')).toEqual([]);
    await on.answer('ben', id, { effect: 'refuse', note: 'Forty is too much.' });
    expect(await call(treasurer.caller, 'ledger__send_money', { amount: 40 })).toMatchObject({
      kind: 'refused',
      code: 'refused_by_principal',
      reason: expect.stringContaining('Forty is too much.'),
    });
    for (const agent of ['editor', 'researcher']) {
      expect(await notes(agent)).toMatchObject([
        { decision: id, text: expect.stringMatching(/^ben refused treasurer's call of ledger__send_money .*Forty is too much\./) },
      ]);
      expect(await notes(agent)).toEqual([]);
    }
    expect(await notes('treasurer')).toEqual([]);
    expect(researcher.question.claims).toBe(1);
  });

  it('keeps receipts in the record: who was told, when, and who was not reached yet', async () => {
    const { on, notes, call, treasurer, id } = await heldThreeDeep();
    expect(await relayOf(on, id)).toEqual([]);
    await on.answer('ben', id, { effect: 'refuse', note: 'no' });
    const agents = ['treasurer', 'researcher', 'editor'];
    expect(await relayOf(on, id)).toEqual(agents.map((agent) => ({ agent, toldAt: null })));
    on.pass(1000);
    await notes('editor');
    on.pass(1000);
    const end = await call(treasurer.caller, 'ledger__send_money', { amount: 40 });
    expect(end).toMatchObject({ kind: 'refused' });
    expect(await relayOf(on, id)).toEqual([
      { agent: 'treasurer', toldAt: '2026-11-30T12:00:02.000Z' },
      { agent: 'researcher', toldAt: null },
      { agent: 'editor', toldAt: '2026-11-30T12:00:01.000Z' },
    ]);
    const { items } = await queryAudit(on.deps.store.db, 'all', { limit: 200, order: 'oldest', decision: id });
    expect(items.at(-1)).toMatchObject({ type: 'decision.relayed', agent: 'editor', decision: id });
  });

  it('says of the calling agent that it was told once it has its result', async () => {
    const { on, call, treasurer, id } = await heldThreeDeep();
    await on.answer('ben', id, {});
    await on.work();
    on.pass(1000);
    expect(await call(treasurer.caller, 'ledger__send_money', { amount: 40 })).toMatchObject({ kind: 'reply' });
    expect((await relayOf(on, id))?.[0]).toEqual({ agent: 'treasurer', toldAt: '2026-11-30T12:00:01.000Z' });
  });

  it('tells of a yes, of silence and of a withdrawal in words of their own', async () => {
    const { on, notes, call, treasurer, id } = await heldThreeDeep();
    await on.answer('ben', id, { note: 'A fair price.' });
    await call(treasurer.caller, 'ledger__send_money', { amount: 41 });
    on.pass(3_600_000);
    await on.reconcile();
    expect((await notes('editor')).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^ben approved .* with the note: A fair price\./),
      expect.stringMatching(/^Nobody answered .* Silence is not consent/),
    ]);
  });

  it('tells of what was taken back: by the caller, by an agent above, and because another principal said no', async () => {
    const { on, notes, call, withdraw, treasurer, id } = await heldThreeDeep();
    await withdrawDecision(on.deps, treasurer.caller, id, 'found it free');
    on.setRules([PAY, { ...PAY, id: 'second', answer_by: ['dee'] }]);
    await call(treasurer.caller, 'ledger__send_money', { amount: 41 });
    await on.answer('dee', (await on.decisions('dee', 'pending'))[0]!.id, { effect: 'refuse', note: 'no' });
    await call(treasurer.caller, 'ledger__send_money', { amount: 42 });
    await withdraw('researcher', treasurer.question.consult, 'too slow');
    expect((await notes('editor')).map(({ text }) => text.replace(/ \(dec_\w+\)/, '')).sort()).toEqual([
      "dee refused treasurer's call of ledger__send_money, with the note: no",
      "treasurer's call of ledger__send_money was withdrawn by dee: dee refused it: no",
      "treasurer's call of ledger__send_money was withdrawn by researcher: researcher took its question back: too slow",
      "treasurer's call of ledger__send_money was withdrawn by researcher: researcher took its question back: too slow",
      "treasurer's call of ledger__send_money was withdrawn by treasurer: found it free",
    ]);
  });

  it('gives each note to one of any number of looks at once', async () => {
    const { on, notes, id } = await heldThreeDeep();
    await on.answer('ben', id, {});
    const looks = await Promise.all(Array.from({ length: 8 }, () => notes('editor')));
    expect(looks.flat()).toHaveLength(1);
  });

  it('writes nothing for a call that nobody asked for', async () => {
    const on = await host({ ...fourPrincipals(), rules: [PAY] });
    const { id } = await on.held('treasurer', 'ledger__send_money', {});
    await on.answer('ben', id, { effect: 'refuse' });
    expect(await consults(on).notes('treasurer')).toEqual([]);
    expect((await on.decisions('ben'))[0]?.relay).toMatchObject([{ agent: 'treasurer' }]);
  });

  it('is never overwritten by what an agent above does later: answers are only appended (B5)', async () => {
    const { on, answer, withdraw, researcher, treasurer, id } = await heldThreeDeep();
    await on.answer('ben', id, { note: 'A fair price.' });
    const before = await answersOf(on.deps.store.db, [id]);
    // The agent in the middle answers first, then the one below; then the asker above takes nothing back any more.
    expect(await answer('researcher', researcher.question.consult, 'I did without.')).toMatchObject({ ok: true });
    expect(await answer('treasurer', treasurer.question.consult, 'Paid.')).toMatchObject({ ok: true });
    expect(await withdraw('editor', researcher.question.consult)).toMatchObject({ error: { code: 'consult.already_answered' } });
    expect(await answersOf(on.deps.store.db, [id])).toEqual(before);
    expect((await on.decisions('ben')).find((decision) => decision.id === id)).toMatchObject({
      state: 'approved',
      answers: [{ principal: 'ben', note: 'A fair price.' }],
    });
    await on.work();
    expect(on.upstreams.seen).toMatchObject([{ args: { amount: 40 } }]);
  });
});
