import { answerDecision, dispatchCall, expireDecision, withdrawDecision } from '@countersign/engine';
import { describe, expect, it } from 'vitest';
import { EAT, SMASH, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const HOUR = 3_600_000;

describe('answering', () => {
  it('lets one of approve, refuse and expire at the same instant take effect, and tells the others which (C2)', async () => {
    const {
      call,
      caller: callerOf,
      decisions,
      deps,
      pass,
      work,
      upstreams,
    } = await host({ rules: [{ ...EAT, expires: '1h', answer_by: ['ada', 'ben'] }] });
    const [ada, ben] = [await callerOf('ada'), await callerOf('ben')];
    let approved = 0;
    for (let round = 0; round < 500; round += 1) {
      await call('researcher', 'jar__cookie_jar', { action: 'eat', round });
      const [decision] = await decisions('ada', 'pending');
      if (!decision) throw new Error('Nothing was held.');
      const isOverdue = round % 3 === 0;
      pass(isOverdue ? HOUR : HOUR - 1);
      const shown = { version: decision.version, shownDigest: decision.shownDigest };
      const [yes, no] = await Promise.all([
        answerDecision(deps, ada, decision.id, { ...shown, effect: 'approve' }),
        answerDecision(deps, ben, decision.id, { ...shown, effect: 'refuse' }),
        expireDecision(deps, decision.id),
      ]);
      const losers = [yes, no].filter((result) => !result.ok);
      expect(losers).toHaveLength(isOverdue ? 2 : 1);
      for (const loser of losers) {
        expect(loser).toMatchObject({
          error: {
            code: isOverdue ? 'decision.expired' : 'decision.already_answered',
            message: expect.stringMatching(/expired|by (ada|ben) at/),
          },
        });
      }
      if (yes.ok) approved += 1;
      await work();
    }
    expect(upstreams.seen).toHaveLength(approved);
    expect(await decisions('ada', 'pending')).toEqual([]);
  }, 300_000);

  it('takes no answer at or after the deadline, with no worker running (C3)', async () => {
    const { held, answer, pass, work, upstreams } = await host({ rules: [{ ...EAT, expires: '1h' }] });
    const { id } = await held('researcher', 'jar__cookie_jar', { action: 'eat' });
    pass(HOUR);
    expect(await answer('ada', id, {})).toMatchObject({ ok: false, error: { code: 'decision.expired' } });
    await work();
    expect(upstreams.seen).toEqual([]);
  });

  it('tells the agent of an expired call that silence is not consent and that nothing was executed, which is no "no" (C3, C4)', async () => {
    const { held, deps, pass, upstreams, events } = await host({ rules: [{ ...EAT, expires: '1h' }] });
    const { id, end } = await held('researcher', 'jar__cookie_jar', { action: 'eat' });
    await expireDecision(deps, id);
    pass(HOUR);
    await expireDecision(deps, id);
    expect(await end).toMatchObject({
      kind: 'refused',
      code: 'expired',
      note: null,
      reason: expect.stringMatching(/Silence is not consent: it was not executed/),
    });
    expect(upstreams.seen).toEqual([]);
    expect((await events()).slice(-2)).toEqual(['decision.expired', 'call.refused']);
  });

  it('turns down an answer to another version or digest, and records the attempt (A6)', async () => {
    const { held, answer, events } = await host({ rules: [EAT] });
    const { id } = await held('researcher', 'jar__cookie_jar', { action: 'eat' });
    expect(await answer('ada', id, { version: 7 })).toMatchObject({ error: { code: 'decision.stale' } });
    expect(await answer('ada', id, { shownDigest: `sha256:${'f'.repeat(64)}` })).toMatchObject({
      error: { code: 'decision.digest_mismatch' },
    });
    expect((await events()).slice(-2)).toEqual(['decision.answer_rejected', 'decision.answer_rejected']);
    expect(await answer('ada', id, {})).toMatchObject({ ok: true });
  });

  it('takes no answer of an agent, whatever its principal may do, nor of a principal that is not asked (E1)', async () => {
    const { held, answer, decisions } = await host({ rules: [EAT] });
    const { id } = await held('researcher', 'jar__cookie_jar', { action: 'eat' });
    expect(await answer('researcher', id, {})).toMatchObject({ error: { code: 'credential.forbidden' } });
    expect(await answer('ben', id, {})).toMatchObject({ error: { code: 'not_found' } });
    expect(await decisions('ada', 'pending')).toHaveLength(1);
  });

  it('sends approved arguments value for value (A8)', async () => {
    const args = {
      n: 5,
      s: '5',
      nested: [[], '', { deep: [1, '1', null, true] }],
      text: 'zażółć 🫙 \u200b\u202e',
      empty: {},
      big: 9007199254740991,
      small: 1e-7,
    };
    const { held, answer, work, upstreams } = await host({ rules: [SMASH] });
    const { id } = await held('researcher', 'jar__smash_jar', args);
    await answer('ada', id, {});
    await work();
    expect(upstreams.seen[0]?.args).toEqual(args);
  });

  it('shows, hashes and sends what arrived, whatever the caller does to its object afterwards (A4)', async () => {
    const { call, decisions, answer, work, upstreams } = await host({ rules: [EAT] });
    const args = { action: 'eat', amount: 1 };
    await call('researcher', 'jar__cookie_jar', args);
    args.amount = 1000;
    const [decision] = await decisions('ada', 'pending');
    expect(decision?.call?.arguments).toEqual({ action: 'eat', amount: 1 });
    await answer('ada', decision!.id, {});
    await work();
    expect(upstreams.seen.map((call) => call.args)).toEqual([{ action: 'eat', amount: 1 }]);
  });

  it.each([
    ['needs several to approve', { answer_by: ['ada', 'ben'], needs: 2 }, { note: 'Fine.' }, 'decision.edit_refused'],
    ['belongs to somebody else', { answer_by: ['ben'] }, { note: 'Fine.' }, 'decision.edit_refused'],
    ['can’t be undone, without a note', { irreversible: true }, {}, 'decision.note_required'],
    ['is refused by a rule', { effect: 'refuse' }, { note: 'Fine.' }, 'decision.edit_refused'],
  ])('lets nobody edit a call into one that %s (A7)', async (_, rule, given, code) => {
    const on = await host({ rules: [EAT, { id: 'much', tool: 'jar__cookie_jar', match: 'args.amount > 10', ...rule }] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    const edited = await on.answer('ada', id, { editedArgs: { action: 'eat', amount: 500 }, ...given });
    expect(edited).toMatchObject({ ok: false, error: { code } });
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    expect((await on.decisions('ada', 'pending')).map((decision) => decision.id)).toEqual([id]);
  });

  it('sends nothing that not as many have approved as it needs, whatever the row of the call says', async () => {
    const on = await host({ rules: [{ ...EAT, answer_by: ['ada', 'ben'], needs: 2 }] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    const [decision] = await on.decisions('ada', 'pending');
    expect(await on.answer('ada', decision!.id, {})).toMatchObject({ ok: true, value: { state: 'pending' } });
    await on.deps.store.db.execute(`update decision set state = 'approved', settled_at = created_at`);
    await on.deps.store.db.execute(`update call set state = 'queued'`);
    await dispatchCall(on.deps, decision!.call!.id);
    expect(on.upstreams.seen).toEqual([]);
  });

  it('runs the edited arguments, and keeps what was asked, edited and run (A7)', async () => {
    const { held, answer, work, upstreams, decisions } = await host({ rules: [EAT] });
    const { id, end } = await held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    expect(await answer('ada', id, { editedArgs: { action: 'eat', amount: 1 } })).toMatchObject({ ok: true });
    await work();
    await end;
    expect(upstreams.seen.map((call) => call.args)).toEqual([{ action: 'eat', amount: 1 }]);
    const [decision] = await decisions('ada');
    expect(decision).toMatchObject({
      call: { arguments: { amount: 3 }, effectiveArguments: { amount: 1 } },
      answers: [{ editedArgs: { amount: 1 } }],
      outcome: { state: 'done' },
    });
  });

  it.each([
    ['a rule that refuses', { action: 'eat', amount: 99 }, /refused: Too many/],
    ['the tool’s schema', { action: 'eat', amount: 'many' }, /do not fit the schema/],
    ['somebody who was not asked', { action: 'eat', amount: 20 }, /also needs ben/],
  ])('refuses an edit that hits %s, before anything runs (A7)', async (_, editedArgs, message) => {
    const { held, answer, work, upstreams } = await host({
      tools: {
        jar__cookie_jar: { inputSchema: { type: 'object', properties: { action: { type: 'string' }, amount: { type: 'number' } } } },
      },
      rules: [
        EAT,
        { tool: 'jar__cookie_jar', when: 'over 50', match: 'has(args.amount) && args.amount > 50', reason: 'Too many.', effect: 'refuse' },
        { tool: 'jar__cookie_jar', when: 'over 10', match: 'has(args.amount) && args.amount > 10', reason: 'Ask Ben.', answer_by: ['ben'] },
      ],
    });
    const { id } = await held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    expect(await answer('ada', id, { editedArgs })).toMatchObject({
      ok: false,
      error: { code: 'decision.edit_refused', message: expect.stringMatching(message) },
    });
    await work();
    expect(upstreams.seen).toEqual([]);
    expect(await answer('ada', id, {})).toMatchObject({ ok: true });
  });

  it('waits for every principal that a call needs, and takes the other questions back after one "no"', async () => {
    const rules = [EAT, { ...EAT, id: 'ben-too', reason: 'Ben shares the jar.', answer_by: ['ben'] }];
    const both = await host({ rules });
    const first = await both.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    const [forBen] = await both.decisions('ben', 'pending');
    await both.answer('ada', first.id, {});
    await both.work();
    expect(both.upstreams.seen).toEqual([]);
    await both.answer('ben', forBen!.id, {});
    await both.work();
    expect(await first.end).toMatchObject({ kind: 'reply' });

    const second = await both.held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 2 });
    const [again] = await both.decisions('ben', 'pending');
    await both.answer('ben', again!.id, { effect: 'refuse', note: 'No.' });
    expect(await second.end).toMatchObject({ kind: 'refused', code: 'refused_by_principal', note: { by: 'ben' } });
    expect(await both.decisions('ada')).toMatchObject([
      { state: 'withdrawn', settledReason: 'ben refused it: No.' },
      { state: 'approved' },
    ]);
    expect(both.upstreams.seen).toHaveLength(1);
  });

  it('takes a question back when its agent withdraws it, which is not a "no" (C8)', async () => {
    const { held, caller, deps, decisions, call } = await host({ rules: [EAT] });
    const { id, end } = await held('researcher', 'jar__cookie_jar', { action: 'eat' });
    expect(await withdrawDecision(deps, await caller('treasurer'), id, 'not mine')).toMatchObject({ error: { code: 'not_found' } });
    expect(await withdrawDecision(deps, await caller('researcher'), id, 'no longer needed')).toMatchObject({
      ok: true,
      value: { state: 'withdrawn' },
    });
    expect(await end).toMatchObject({ kind: 'refused', code: 'withdrawn' });
    expect(await call('researcher', 'jar__cookie_jar', { action: 'eat' })).toMatchObject({ kind: 'held' });
    expect(await decisions('ada', 'pending')).toHaveLength(1);
  });

  it('keeps the history of an agent that is gone (E8)', async () => {
    const { held, answer, decisions, deps } = await host({ rules: [EAT] });
    const { id } = await held('researcher', 'jar__cookie_jar', { action: 'eat' });
    await answer('ada', id, { effect: 'refuse' });
    await deps.store.db.execute(`delete from credential where agent = 'researcher'`);
    await deps.store.db.execute(`delete from agent where name = 'researcher'`);
    expect(await decisions('ada')).toMatchObject([{ id, agent: 'researcher', state: 'refused', call: { tool: 'jar__cookie_jar' } }]);
  });
});
