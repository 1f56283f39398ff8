import { freezeHost, nextQuestion, suspendAgent, thawHost } from '@countersign/engine';
import { describe, expect, it } from 'vitest';
import { agentWith, consults, eventsOf, fourPrincipals } from './chain-words.ts';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const MINUTE = 60_000;

async function setUp(options: Parameters<typeof host>[0] = {}) {
  const on = await host({ ...fourPrincipals(), ...options });
  return { on, ...consults(on) };
}

describe('a consult', () => {
  it('brings a question to the asked agent and its answer back, each step an event', async () => {
    const { on, ask, next, answer, fetch } = await setUp();
    const asked = await ask('editor', 'treasurer', 'What does the source cost?');
    expect(asked).toMatchObject({ ok: true, value: { state: 'open', agent: 'treasurer', principal: 'ben' } });
    const consult = asked.ok ? asked.value.consult : '';
    const question = await next('treasurer');
    expect(question).toMatchObject({
      consult,
      question: 'What does the source cost?',
      asker: { agent: 'editor', principal: 'ada' },
      chain: [
        { agent: 'editor', principal: 'ada', question: null },
        { agent: 'treasurer', principal: 'ben', question: 'What does the source cost?' },
      ],
      claims: 1,
    });
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'claimed' } });
    expect(await answer('treasurer', consult, 'Forty.')).toMatchObject({ ok: true });
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'answered', answer: 'Forty.' } });
    expect((await on.events()).filter((type) => /^(consult|run)\./.test(type))).toEqual([
      'run.opened',
      'consult.opened',
      'run.opened',
      'consult.claimed',
      'consult.answered',
    ]);
  });

  it('gives the asker that waits the answer at once, and one that comes later from another session too (C7)', async () => {
    const { ask, next, answer, fetch } = await setUp();
    const asked = await ask('editor', 'treasurer', 'How much?');
    const consult = asked.ok ? asked.value.consult : '';
    const waiting = fetch('editor', consult, { waitMs: 20_000, signal: new AbortController().signal });
    await next('treasurer');
    await answer('treasurer', consult, 'Forty.');
    expect(await waiting).toMatchObject({ value: { state: 'answered', answer: 'Forty.' } });
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'answered', answer: 'Forty.' } });
  });

  it('hands a question to the poller that already waits for one', async () => {
    const { ask, next } = await setUp();
    const waiting = next('treasurer', { waitMs: 20_000, signal: new AbortController().signal });
    await ask('editor', 'treasurer', 'How much?');
    expect(await waiting).toMatchObject({ question: 'How much?' });
  });

  it('hands each question to one of any number of pollers', async () => {
    const { ask, next } = await setUp();
    for (const question of ['one', 'two', 'three']) await ask('editor', 'treasurer', question);
    const got = await Promise.all(Array.from({ length: 8 }, () => next('treasurer')));
    expect(got.flatMap((question) => question?.question ?? []).sort()).toEqual(['one', 'three', 'two']);
  });

  it('attaches the same question to the open one, from another session too, and is a new one once the answer was fetched', async () => {
    const { ask, next, answer, fetch } = await setUp();
    const first = await ask('editor', 'treasurer', 'How much?');
    const again = await ask('editor', 'treasurer', 'How much?', 'another session');
    expect(again).toEqual(first);
    const consult = first.ok ? first.value.consult : '';
    await next('treasurer');
    await answer('treasurer', consult, 'Forty.');
    expect(await ask('editor', 'treasurer', 'How much?')).toMatchObject({ value: { consult, state: 'answered' } });
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'answered' } });
    const fresh = await ask('editor', 'treasurer', 'How much?');
    expect(fresh).toMatchObject({ value: { state: 'open' } });
    expect(fresh.ok && fresh.value.consult).not.toBe(consult);
  });

  it('goes to the next poller once its holder is silent, in the same run, and what the first one had is void', async () => {
    const { on, ask, take, next, enter, answer } = await setUp();
    await ask('editor', 'treasurer', 'How much?');
    const first = await take('treasurer');
    on.pass(4 * MINUTE);
    expect(await next('treasurer')).toBeNull();
    on.pass(2 * MINUTE);
    const other = await agentWith(on, 'treasurer');
    const second = await next(other.caller);
    expect(second).toMatchObject({ consult: first.question.consult, claims: 2, chain: first.question.chain });
    expect(await enter('treasurer', first.question.runToken)).toMatchObject({ ok: false, error: { code: 'run.invalid' } });
    expect(await answer('treasurer', first.question.consult, 'Forty.')).toMatchObject({ error: { code: 'consult.not_claimed' } });
    expect(await answer(other.caller, first.question.consult, 'Fifty.')).toMatchObject({ ok: true });
  });

  it('stays with a holder that gives signs of life, and with one whose call is held', async () => {
    const { on, ask, take, enter, next, call } = await setUp({
      rules: [{ id: 'pay', tool: 'ledger__send_money', reason: 'Money leaves.' }],
    });
    await ask('editor', 'treasurer', 'Pay?');
    const { question, caller } = await take('treasurer');
    for (const _ of [1, 2, 3]) {
      on.pass(4 * MINUTE);
      expect(await enter('treasurer', question.runToken)).toMatchObject({ ok: true });
    }
    await call(caller, 'ledger__send_money', { amount: 1 });
    on.pass(3 * 60 * MINUTE);
    expect(await next('treasurer')).toBeNull();
    const [held] = await on.decisions('ben', 'pending');
    await on.answer('ben', held!.id, { effect: 'refuse', note: 'too much' });
    expect(await next('treasurer')).toBeNull();
    on.pass(6 * MINUTE);
    expect(await next('treasurer')).toMatchObject({
      consult: question.consult,
      claims: 2,
      decisions: [{ id: held!.id, state: 'refused' }],
    });
  });

  it('is given back by a poller that left while it was handed out', async () => {
    const { on, ask, next } = await setUp();
    await ask('editor', 'treasurer', 'How much?');
    const leaving = new AbortController();
    const { store } = on.deps;
    const leavesAfterTheClaim: typeof store.transact = async (work) => {
      const claimed = await store.transact(work);
      leaving.abort();
      return claimed;
    };
    const deps = { ...on.deps, store: { ...store, transact: leavesAfterTheClaim } };
    const caller = await on.caller('treasurer');
    expect(await nextQuestion(deps, caller, { waitMs: 20_000, signal: leaving.signal })).toEqual({ ok: true, value: null });
    expect((await on.events()).slice(-2)).toEqual(['consult.claimed', 'consult.released']);
    expect(await next('treasurer')).toMatchObject({ question: 'How much?' });
  });

  it('expires without a sweeper, and nothing is answered or done in it afterwards', async () => {
    const { on, ask, take, answer, fetch, enter, call } = await setUp();
    const asked = await ask('editor', 'treasurer', 'How much?');
    const consult = asked.ok ? asked.value.consult : '';
    const { question, caller } = await take('treasurer');
    on.pass(24 * 60 * MINUTE);
    expect(await answer('treasurer', consult, 'Forty.')).toMatchObject({ error: { code: 'consult.expired' } });
    expect(await enter('treasurer', question.runToken)).toMatchObject({ error: { code: 'run.closed' } });
    expect(await call(caller, 'files__write_file')).toMatchObject({ kind: 'unavailable', error: { code: 'run.closed' } });
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'expired' } });
    expect(await on.events()).toContain('consult.expired');
    expect(on.upstreams.seen).toEqual([]);
  });

  it('expires in the tables when nobody looks, but not while the host is frozen, which moves its deadline', async () => {
    const { on, ask, fetch } = await setUp();
    const asked = await ask('editor', 'treasurer', 'How much?');
    const consult = asked.ok ? asked.value.consult : '';
    on.pass(23 * 60 * MINUTE);
    await freezeHost(on.deps, { operator: true }, 'a pause');
    on.pass(2 * 60 * MINUTE);
    await on.reconcile();
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'open' } });
    await thawHost(on.deps, { operator: true });
    on.pass(59 * MINUTE);
    await on.reconcile();
    expect(await fetch('editor', consult)).toMatchObject({ value: { state: 'open' } });
    on.pass(MINUTE);
    await on.reconcile();
    expect(await on.events()).toContain('consult.expired');
  });
});

describe('what no consult may be', () => {
  it('is refused by a code of its own, and recorded', async () => {
    const { on, ask, chain } = await setUp();
    expect(await ask('editor', 'editor', 'Am I right?')).toMatchObject({ error: { code: 'consult.asks_itself' } });
    expect(await ask('editor', 'nobody', 'Hello?')).toMatchObject({ error: { code: 'consult.nobody_to_ask' } });
    expect(await ask('editor', 'ada', 'Hello?')).toMatchObject({ error: { code: 'consult.nobody_to_ask' } });
    const [researcher, treasurer, clerk] = await chain('editor', 'researcher', 'treasurer', 'clerk');
    expect(await ask(researcher!.caller, 'editor', 'What do you think?')).toMatchObject({ error: { code: 'consult.cycle' } });
    expect(await ask(treasurer!.caller, 'researcher', 'What do you think?')).toMatchObject({ error: { code: 'consult.cycle' } });
    expect(await ask(clerk!.caller, 'auditor', 'And you?')).toMatchObject({ error: { code: 'consult.too_deep' } });
    const refused = await eventsOf(on, 'consult.refused');
    expect(refused.map(({ payload }) => payload.code)).toEqual([
      'consult.asks_itself',
      'consult.nobody_to_ask',
      'consult.nobody_to_ask',
      'consult.cycle',
      'consult.cycle',
      'consult.too_deep',
    ]);
  });

  it('is not asked of an agent on probation, a suspended one, or one whose principal lets it take no questions', async () => {
    const { on, ask } = await setUp({ ...fourPrincipals({ cy: { scopes: ['directory:read', 'tools:call'] } }) });
    await suspendAgent(on.deps, { operator: true }, 'treasurer');
    for (const name of ['treasurer', 'clerk']) {
      expect(await ask('editor', name, 'Hello?')).toMatchObject({ error: { code: 'consult.nobody_to_ask' } });
    }
  });

  it('floods neither a run nor an agent', async () => {
    const limits = { pending_per_agent: 3, chain_depth: 4, consults_per_run: 2, call_bytes: 4096, requests_per_minute: 60 };
    const { on, ask } = await setUp({ config: { ...fourPrincipals().config, limits } });
    const ends = [];
    for (const question of ['1', '2', '3']) ends.push(await ask('editor', 'treasurer', question));
    expect(ends.map((end) => (end.ok ? end.value.state : end.error.code))).toEqual(['open', 'open', 'limit.reached']);
    // Fresh sessions are fresh runs; the agent is the same.
    const others = [];
    for (const question of ['4', '5']) others.push(await ask('editor', 'clerk', question, `session ${question}`));
    expect(others.map((end) => (end.ok ? end.value.state : end.error.code))).toEqual(['open', 'limit.reached']);
    expect(await ask('researcher', 'treasurer', '6')).toMatchObject({ ok: true });
    expect(await ask('auditor', 'treasurer', '7')).toMatchObject({ error: { code: 'limit.reached' } });
    expect(await eventsOf(on, 'consult.refused')).toHaveLength(3);
  });

  it('is answered once: a second answer, one after a withdrawal, and one by another are refused and recorded', async () => {
    const { on, ask, take, answer, withdraw, fetch } = await setUp();
    const first = await ask('editor', 'treasurer', 'How much?');
    const consult = first.ok ? first.value.consult : '';
    expect(await answer('treasurer', consult, 'Forty.')).toMatchObject({ error: { code: 'consult.not_claimed' } });
    await take('treasurer');
    for (const stranger of ['clerk', 'editor', 'ben', 'ada']) {
      expect(await answer(stranger, consult, 'Nothing.')).toMatchObject({ error: { code: 'not_found' } });
    }
    expect(await answer('treasurer', consult, 'Forty.')).toMatchObject({ ok: true });
    expect(await answer('treasurer', consult, 'Fifty.')).toMatchObject({ error: { code: 'consult.already_answered' } });
    expect(await withdraw('editor', consult)).toMatchObject({ error: { code: 'consult.already_answered' } });
    expect(await fetch('editor', consult)).toMatchObject({ value: { answer: 'Forty.' } });

    const second = await ask('editor', 'treasurer', 'And now?');
    const taken = second.ok ? second.value.consult : '';
    await take('treasurer');
    expect(await withdraw('clerk', taken)).toMatchObject({ error: { code: 'not_found' } });
    expect(await withdraw('editor', taken)).toMatchObject({ ok: true });
    expect(await answer('treasurer', taken, 'Sixty.')).toMatchObject({ error: { code: 'consult.withdrawn' } });
    expect(await fetch('editor', taken)).toMatchObject({ value: { state: 'withdrawn' } });
    expect((await eventsOf(on, 'consult.refused')).map(({ payload }) => payload.code)).toEqual([
      'consult.not_claimed',
      ...Array(4).fill('not_found'),
      'consult.already_answered',
      'consult.withdrawn',
    ]);
  });

  it('is answered by one of a hundred answers at once', async () => {
    const { on, ask, take, answer } = await setUp();
    const asked = await ask('editor', 'treasurer', 'How much?');
    const consult = asked.ok ? asked.value.consult : '';
    await take('treasurer');
    const ends = await Promise.all(Array.from({ length: 100 }, (_, place) => answer('treasurer', consult, `${place}`)));
    expect(ends.filter((end) => end.ok)).toHaveLength(1);
    expect(await eventsOf(on, 'consult.answered')).toHaveLength(1);
  });
});
