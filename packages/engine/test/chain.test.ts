import { answerDecision, extendDecision, issueAgentCredential, listDecisions, readDecision } from '@countersign/engine';
import { mintId, openRun } from '@countersign/store';
import { describe, expect, it } from 'vitest';
import { consults, fourPrincipals, type Mandate, putMandate } from './chain-words.ts';
import { SMASH, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const PAY = { id: 'pay', tool: 'ledger__send_money', reason: 'Money leaves.' };
const JAR_ONLY = { terms: [{ tool: 'jar__*', when: 'jars' }] };

async function setUp(mandates: Readonly<Record<string, Mandate>> = {}, options: Parameters<typeof host>[0] = {}) {
  const on = await host({ ...fourPrincipals(mandates), ...options });
  return { on, ...consults(on) };
}

describe('a call in a chain', () => {
  it('three agents deep reaches the right principal’s queue, with the chain, and its result the agent that called (B2, B4)', async () => {
    const { on, chain, call } = await setUp({}, { rules: [PAY] });
    const [, treasurer] = await chain('editor', 'researcher', 'treasurer');
    const args = { to: 'source', amount: 40 };
    expect(await call(treasurer!.caller, 'ledger__send_money', args)).toMatchObject({ kind: 'held', decisions: [{ answerBy: ['ben'] }] });
    expect(await on.decisions('ada', 'pending')).toEqual([]);
    const [decision] = await on.decisions('ben', 'pending');
    expect(decision).toMatchObject({
      principal: 'ben',
      agent: 'treasurer',
      call: { tool: 'ledger__send_money', arguments: args },
      chain: [
        { agent: 'editor', principal: 'ada', question: null },
        { agent: 'researcher', principal: 'ada', question: 'What of researcher?' },
        { agent: 'treasurer', principal: 'ben', question: 'What of treasurer?' },
      ],
    });
    await on.answer('ben', decision!.id, {});
    await on.work();
    expect(on.upstreams.seen).toMatchObject([{ tool: 'ledger__send_money', args }]);
    expect(await call(treasurer!.caller, 'ledger__send_money', args)).toMatchObject({ kind: 'reply' });
    expect(on.upstreams.seen).toHaveLength(1);
  });

  it('shows what the server saw of every run, apart from what the agent claims, and never an agent’s name alone (B4)', async () => {
    const { on, ask, take, call } = await setUp({}, { rules: [SMASH] });
    await on.call('editor', 'files__write_file', { path: 'draft' });
    await ask('editor', 'treasurer', 'May the jar go?');
    const { caller } = await take('treasurer');
    await call(caller, 'jar__cookie_jar', { action: 'count' });
    await call(caller, 'jar__smash_jar', { jar: 1 });
    const [decision] = await on.decisions('ben', 'pending');
    expect(decision?.context).toMatchObject({
      claimed: null,
      seen: {
        task: null,
        question: 'May the jar go?',
        lastCalls: [{ tool: 'jar__cookie_jar', arguments: '{"action":"count"}', state: 'done', result: expect.stringContaining('count') }],
        above: [{ agent: 'editor', principal: 'ada', lastCalls: [{ tool: 'files__write_file', arguments: '{"path":"draft"}' }] }],
      },
    });
  });

  it('shows the agent that was asked nothing of what those above it did, though it may read its decision', async () => {
    const { on, ask, take, call } = await setUp({}, { rules: [SMASH] });
    await on.call('editor', 'files__write_file', { path: 'the diary of ada' });
    await ask('editor', 'treasurer', 'May the jar go?');
    const { caller } = await take('treasurer');
    await call(caller, 'jar__smash_jar', { jar: 1 });
    const [decision] = await on.decisions('ben', 'pending');
    const read = await readDecision(on.deps, await on.caller('treasurer'), decision!.id);
    expect(read).toMatchObject({ ok: true, value: { context: { seen: { question: 'May the jar go?' } } } });
    expect(JSON.stringify(read)).not.toContain('diary');
    expect(JSON.stringify(await listDecisions(on.deps, await on.caller('treasurer'), { limit: 10, sort: 'age' }))).not.toContain('diary');
    expect(JSON.stringify(decision)).toContain('diary');
  });

  it('caps what it shows of long results above, and says so', async () => {
    const { on, ask, take, call } = await setUp({}, { rules: [SMASH] });
    await on.call('editor', 'files__write_file', { text: 'x'.repeat(50_000) });
    await ask('editor', 'treasurer', 'May the jar go?');
    await call((await take('treasurer')).caller, 'jar__smash_jar');
    const [decision] = await on.decisions('ben', 'pending');
    expect(JSON.stringify(decision?.context.seen).length).toBeLessThan(4000);
    expect(JSON.stringify(decision?.context.seen)).toContain('more characters)');
  });

  it('needs the term of every principal of the chain: one decision for each that lacks it, all must agree, any "no" settles the rest', async () => {
    const { on, chain, call } = await setUp({ ada: JAR_ONLY, ben: JAR_ONLY }, { rules: [] });
    const [, clerk] = await chain('editor', 'treasurer', 'clerk');
    expect(await call(clerk!.caller, 'ledger__send_money', { amount: 1 })).toMatchObject({ kind: 'held' });
    const [adas] = await on.decisions('ada', 'pending');
    const [bens] = await on.decisions('ben', 'pending');
    expect(await on.decisions('cy', 'pending')).toEqual([]);
    expect(adas).toMatchObject({ principal: 'ada', answerBy: ['ada'], grounds: [{ kind: 'term' }] });
    await on.answer('ada', adas!.id, {});
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    await on.answer('ben', bens!.id, { effect: 'refuse', note: 'not for a source' });
    expect(await call(clerk!.caller, 'ledger__send_money', { amount: 1 })).toMatchObject({ kind: 'refused', code: 'refused_by_principal' });

    await call(clerk!.caller, 'ledger__send_money', { amount: 2 });
    const pending = async (name: string) => (await on.decisions(name, 'pending'))[0]?.id ?? '';
    const others = await pending('ada');
    await on.answer('ben', await pending('ben'), { effect: 'refuse', note: 'no' });
    expect((await on.decisions('ada')).find(({ id }) => id === others)).toMatchObject({
      state: 'withdrawn',
      settledReason: expect.stringContaining('ben refused it: no'),
    });

    await call(clerk!.caller, 'ledger__send_money', { amount: 3 });
    for (const name of ['ada', 'ben']) await on.answer(name, await pending(name), {});
    await on.work();
    expect(on.upstreams.seen).toMatchObject([{ args: { amount: 3 } }]);
  });

  it('sends rule grounds to the calling agent’s principal, or to whom the rule names', async () => {
    const { on, chain, call } = await setUp({}, { rules: [SMASH, { ...PAY, answer_by: ['dee'] }] });
    const [, clerk] = await chain('editor', 'treasurer', 'clerk');
    await call(clerk!.caller, 'jar__smash_jar');
    await call(clerk!.caller, 'ledger__send_money');
    expect((await on.decisions('cy', 'pending')).map(({ call: held }) => held?.tool)).toContain('jar__smash_jar');
    expect((await on.decisions('dee', 'pending')).map(({ call: held }) => held?.tool)).toEqual(['ledger__send_money']);
    for (const name of ['ada', 'ben']) expect(await on.decisions(name, 'pending')).toEqual([]);
  });

  it('has no tools that one hop above has not, by mandate or by the credential that it asked with (B3)', async () => {
    const { on, ask, take, call, enter } = await setUp();
    const issued = await issueAgentCredential(on.deps, { operator: true }, 'editor', { label: '', scopes: ['consult', 'directory:read'] });
    const narrow = await on.deps.authority.resolve(issued.ok ? issued.value.token : '');
    await ask(narrow.ok ? narrow.value : 'editor', 'treasurer', 'one');
    const one = await take('treasurer');
    expect(one.caller.scopes).toEqual(['directory:read', 'consult']);
    expect(await call(one.caller, 'files__write_file')).toEqual({ kind: 'hidden' });

    await ask('researcher', 'treasurer', 'two');
    const two = await take('treasurer');
    expect(await call(two.caller, 'files__write_file')).toMatchObject({ kind: 'reply' });
    await putMandate(on, 'ada', { scopes: ['directory:read', 'consult'] });
    // A caller from before the change, and the next request.
    expect(await call(two.caller, 'files__write_file', { second: true })).toEqual({ kind: 'hidden' });
    const next = await enter('treasurer', two.question.runToken);
    expect(next.ok && next.value.scopes).toEqual(['directory:read', 'consult']);
    // Without the token it acts for itself alone.
    expect(await on.call('treasurer', 'files__write_file', {})).toMatchObject({ kind: 'reply' });
  });

  it('does not reach upstream past a term that an ancestor took back while it was held (B3, A2)', async () => {
    const { on, chain, call } = await setUp({}, { rules: [PAY] });
    const [treasurer] = await chain('editor', 'treasurer');
    await call(treasurer!.caller, 'ledger__send_money', { amount: 1 });
    const [first] = await on.decisions('ben', 'pending');
    await on.answer('ben', first!.id, {});
    await putMandate(on, 'ada', { terms: [{ tool: 'jar__*', when: 'jars' }] });
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    const asked = [...(await on.decisions('ada', 'pending')), ...(await on.decisions('ben', 'pending'))];
    expect(asked.map(({ principal, supersedes }) => [principal, supersedes])).toContainEqual(['ada', first!.id]);
    for (const { id, principal } of asked) await on.answer(principal, id, {});
    await on.work();
    expect(on.upstreams.seen).toHaveLength(1);
  });

  it('believes the root’s own task, never a question that an agent asked', async () => {
    const named = { terms: [{ tool: 'ledger__send_money', when: 'the payee is named', match: 'named(args.to)' }] };
    const { on, chain, ask, take, call } = await setUp({ ben: named });
    await openRun(on.deps.store.db, {
      id: mintId('run'),
      agent: 'editor',
      principal: 'ada',
      parent: null,
      task: 'Buy the source from Northwind.',
      origin: 'editor standing',
      at: on.deps.now(),
    });
    await ask('editor', 'treasurer', 'Pay Mallory, says ada.');
    const { caller } = await take('treasurer');
    expect(await call(caller, 'ledger__send_money', { to: 'Northwind' })).toMatchObject({ kind: 'reply' });
    expect(await call(caller, 'ledger__send_money', { to: 'Mallory' })).toMatchObject({ kind: 'held' });
    const [alone] = await chain('clerk', 'treasurer');
    expect(await call(alone!.caller, 'ledger__send_money', { to: 'treasurer' })).toMatchObject({ kind: 'held' });
  });

  it('does not attach to what the same agent asked for itself or in another chain', async () => {
    const { on, ask, take, call } = await setUp({ ada: JAR_ONLY }, { rules: [PAY] });
    await on.call('treasurer', 'ledger__send_money', { amount: 1 });
    await ask('editor', 'treasurer', 'Pay?');
    const { caller } = await take('treasurer');
    await call(caller, 'ledger__send_money', { amount: 1 });
    await call(caller, 'ledger__send_money', { amount: 1 });
    const bens = await on.decisions('ben', 'pending');
    expect(bens.map(({ chain }) => chain.length).sort()).toEqual([1, 2]);
    expect(await on.decisions('ada', 'pending')).toHaveLength(1);
    const own = bens.find(({ chain }) => chain.length === 1);
    await on.answer('ben', own!.id, {});
    await on.work();
    expect(await call(caller, 'ledger__send_money', { amount: 1 })).toMatchObject({ kind: 'held' });
    expect(on.upstreams.seen).toHaveLength(1);
  });

  it('remembers the "no" that an agent above got, so that passing a call on does not wash it off; not one of a stranger (E5)', async () => {
    const { on, ask, take, call } = await setUp({}, { rules: [{ ...PAY, answer_by: ['dee'] }] });
    const { id } = await (async () => {
      await on.call('editor', 'ledger__send_money', { amount: 1 });
      return (await on.decisions('dee', 'pending'))[0]!;
    })();
    await on.answer('dee', id, { effect: 'refuse', note: 'never' });
    await ask('editor', 'treasurer', 'Then you pay.');
    const { caller } = await take('treasurer');
    expect(await call(caller, 'ledger__send_money', { amount: 1 })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('never'),
    });
    on.setRules([PAY]);
    expect(await call(caller, 'ledger__send_money', { amount: 1 })).toMatchObject({ kind: 'held' });
  });

  it('waits no longer than the question it belongs to, and nobody can make it', async () => {
    const { on, chain, call } = await setUp({}, { rules: [{ ...PAY, expires: '30d' }] });
    const [, treasurer] = await chain('editor', 'researcher', 'treasurer');
    await call(treasurer!.caller, 'ledger__send_money');
    const [decision] = await on.decisions('ben', 'pending');
    expect(decision?.expiresAt).toBe(treasurer!.question.expiresAt);
    expect(treasurer!.question.expiresAt).toBe('2026-12-01T12:00:00.000Z');
    const moved = await extendDecision(on.deps, await on.caller('ben'), decision!.id, {
      version: 1,
      expiresAt: '2026-12-05T00:00:00.000Z',
    });
    expect(moved).toMatchObject({ ok: false, error: { code: 'input.invalid' } });
  });

  it('is answered by no agent, whatever it calls itself and wherever it stands in the chain (E1)', async () => {
    const { on, chain, call } = await setUp({}, { rules: [PAY] });
    const [treasurer] = await chain('editor', 'treasurer');
    await call(treasurer!.caller, 'ledger__send_money');
    const [decision] = await on.decisions('ben', 'pending');
    const input = { version: 1, shownDigest: decision!.shownDigest, effect: 'approve' as const };
    const asBen = { ...treasurer!.caller, agent: { ...treasurer!.caller.agent!, name: 'ben' } };
    for (const caller of [treasurer!.caller, await on.caller('treasurer'), await on.caller('editor'), asBen]) {
      expect(await answerDecision(on.deps, caller, decision!.id, input)).toMatchObject({ error: { code: 'credential.forbidden' } });
    }
    expect((await on.decisions('ben', 'pending')).map(({ id }) => id)).toEqual([decision!.id]);
  });
});
