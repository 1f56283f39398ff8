import { cancelRun, suspendAgent } from '@countersign/engine';
import { queryAudit } from '@countersign/store';
import { describe, expect, it } from 'vitest';
import { consults, fourPrincipals } from './chain-words.ts';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const PAY = { id: 'pay', tool: 'ledger__send_money', reason: 'Money leaves.' };

async function heldThreeDeep() {
  const on = await host({ ...fourPrincipals(), rules: [PAY] });
  const words = consults(on);
  const [researcher, treasurer] = await words.chain('editor', 'researcher', 'treasurer');
  await words.call(treasurer!.caller, 'ledger__send_money', { amount: 40 });
  const [decision] = await on.decisions('ben', 'pending');
  return { on, ...words, researcher: researcher!, treasurer: treasurer!, id: decision!.id };
}

describe('a question that is taken back', () => {
  it('takes the pending decisions below it with it, as withdrawn and not as refused, and nothing leads from there to upstream (C8)', async () => {
    const { on, withdraw, researcher, treasurer, call, enter, answer, fetch, id } = await heldThreeDeep();
    expect(await withdraw('editor', researcher.question.consult, 'found it elsewhere')).toEqual({ ok: true, value: null });
    expect((await on.decisions('ben')).find((decision) => decision.id === id)).toMatchObject({
      state: 'withdrawn',
      settledReason: expect.stringContaining('editor took its question back: found it elsewhere'),
      call: { state: 'refused' },
      outcome: { state: 'not_run' },
      answers: [],
    });
    expect(await on.answer('ben', id, {})).toMatchObject({ error: { code: 'decision.withdrawn' } });
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    expect(await call(treasurer.caller, 'files__write_file')).toMatchObject({ kind: 'unavailable', error: { code: 'run.closed' } });
    expect(await call(treasurer.caller, 'ledger__send_money')).toMatchObject({ kind: 'unavailable', error: { code: 'run.closed' } });
    expect(await enter('treasurer', treasurer.question.runToken)).toMatchObject({ error: { code: 'run.closed' } });
    expect(await answer('treasurer', treasurer.question.consult, 'Paid.')).toMatchObject({ error: { code: 'consult.withdrawn' } });
    expect(await fetch('researcher', treasurer.question.consult)).toMatchObject({ value: { state: 'withdrawn' } });
    const events = await on.events();
    for (const type of ['consult.withdrawn', 'run.cancelled']) expect(events.filter((event) => event === type)).toHaveLength(2);
    expect(events).not.toContain('decision.refused');
  });

  it('stops a call that was approved and not sent yet, and leaves the answer as it was given', async () => {
    const { on, withdraw, researcher, id } = await heldThreeDeep();
    await on.answer('ben', id, { note: 'A fair price.' });
    await withdraw('editor', researcher.question.consult);
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    expect((await on.decisions('ben')).find((decision) => decision.id === id)).toMatchObject({
      state: 'approved',
      answers: [{ effect: 'approve' }],
      call: { state: 'refused' },
    });
  });

  it('leaves what the same agents do otherwise alone', async () => {
    const { on, ask, take, call, withdraw, researcher } = await heldThreeDeep();
    await on.call('treasurer', 'ledger__send_money', { own: true });
    await ask('auditor', 'treasurer', 'Pay for me.');
    await call((await take('treasurer')).caller, 'ledger__send_money', { other: true });
    await withdraw('editor', researcher.question.consult);
    const left = await on.decisions('ben', 'pending');
    expect(left.map(({ call: held }) => Object.keys(held?.arguments ?? {})[0]).sort()).toEqual(['other', 'own']);
  });

  it('is taken back once, and the call races with it to one end', async () => {
    const { on, withdraw, researcher, treasurer, call } = await heldThreeDeep();
    const ends = await Promise.all([
      ...Array.from({ length: 10 }, () => withdraw('editor', researcher.question.consult)),
      ...Array.from({ length: 10 }, (_, amount) => call(treasurer.caller, 'ledger__send_money', { amount })),
    ]);
    expect(ends.slice(0, 10).filter((end) => 'ok' in end && end.ok)).toHaveLength(1);
    expect(await on.decisions('ben', 'pending')).toEqual([]);
    expect(on.upstreams.seen).toEqual([]);
  });
});

describe('a run that is cancelled', () => {
  it('is cancelled by its own principal or the operator, with all below it', async () => {
    const { on, researcher, treasurer, id, fetch } = await heldThreeDeep();
    const run = treasurer.caller.run?.work.run ?? '';
    for (const stranger of ['ada', 'cy', 'treasurer']) {
      const caller = await on.caller(stranger);
      expect(await cancelRun(on.deps, { caller }, run, 'I want it')).toMatchObject({ error: { code: 'not_found' } });
    }
    expect(await cancelRun(on.deps, { caller: await on.caller('ben') }, run, 'not on my account')).toMatchObject({ ok: true });
    expect((await on.decisions('ben')).find((decision) => decision.id === id)?.state).toBe('withdrawn');
    expect(await fetch('researcher', treasurer.question.consult)).toMatchObject({ value: { state: 'withdrawn', by: 'ben' } });
    expect(await fetch('editor', researcher.question.consult)).toMatchObject({ value: { state: 'claimed' } });

    const root = treasurer.question.chain[0]?.run ?? '';
    expect(await cancelRun(on.deps, { operator: true }, root, 'enough')).toMatchObject({ ok: true });
    expect(await fetch('editor', researcher.question.consult)).toMatchObject({ value: { state: 'withdrawn' } });
  });

  it('does not keep its agent from working: what it does next is a new run', async () => {
    const { on, treasurer } = await heldThreeDeep();
    const root = treasurer.question.chain[0]?.run ?? '';
    await on.call('editor', 'files__write_file', { n: 1 });
    await cancelRun(on.deps, { operator: true }, root, 'enough');
    expect(await on.call('editor', 'files__write_file', { n: 2 })).toMatchObject({ kind: 'reply' });
    const { items } = await queryAudit(on.deps.store.db, 'all', { limit: 200, order: 'oldest', type: ['call.admitted'] });
    const runs = items.filter(({ agent }) => agent === 'editor').map(({ run }) => run);
    expect(new Set(runs).size).toBe(2);
    expect(runs[0]).toBe(root);
  });

  it('ends with the suspension of any agent that takes part, whether it asked or was asked', async () => {
    const { on, fetch, researcher, treasurer, id } = await heldThreeDeep();
    await suspendAgent(on.deps, { operator: true }, 'researcher');
    expect((await on.decisions('ben')).find((decision) => decision.id === id)?.state).toBe('withdrawn');
    expect(await fetch('editor', researcher.question.consult)).toMatchObject({
      value: { state: 'withdrawn', reason: expect.stringContaining('suspended') },
    });
    expect(treasurer.question.claims).toBe(1);
    expect(await on.call('treasurer', 'files__write_file', {})).toMatchObject({ kind: 'reply' });
  });
});
