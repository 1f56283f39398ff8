import { type Config, DecisionRowQuery, ToolConfig } from '@countersign/contracts';
import { dispatchCall, listDecisionRows, queryAudit, requestDecision, sha256 } from '@countersign/engine';
import { type TestHost, textReply } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const IBAN = 'DE89370400440532013000';
const MASK = '‹redacted›';
const hiding = (...redact: string[]): Partial<Config> => ({ tools: { 'ledger__*': ToolConfig.parse({ redact }) } });
const PAY = {
  id: 'pay',
  tool: 'ledger__send_money',
  reason: 'It is money.',
  title: '"Pay " + string(args.amount) + " to " + string(args.iban)',
};

const pay = async (on: TestHost, args: object = { amount: 5, iban: IBAN }) => {
  const held = await on.call('researcher', 'ledger__send_money', args as never);
  if (held.kind !== 'held') throw new Error(`Not held: ${held.kind}`);
  return { id: held.decisions[0]!.id, call: held.call };
};
const record = async (on: TestHost, id: string) => {
  const decision = (await on.decisions('ada')).find((one) => one.id === id);
  if (!decision) throw new Error('It is gone.');
  return decision;
};
const rows = async (on: TestHost, query: object = {}) => {
  const listed = await listDecisionRows(on.deps, await on.caller('ada'), DecisionRowQuery.parse(query));
  return listed.ok ? listed.value.items : [];
};
const log = async (on: TestHost, query: object = {}) => {
  const page = await queryAudit(on.deps, { operator: true }, { limit: 200, order: 'oldest', ...query });
  return page.ok ? page.value.items : [];
};

describe('what the host marks as redacted (G3)', () => {
  it('is masked in the record, the rows and the log, from the question to the outcome', async () => {
    const on = await host({ rules: [PAY], config: hiding('args.iban') });
    on.upstreams.behave(({ args }) => ({ ok: true, value: textReply(`Paid ${JSON.stringify(args)}`) }));
    const { id } = await pay(on, { amount: 5, iban: IBAN, memo: `for ${IBAN}` });
    await on.answer('ada', id, { note: `Is ${IBAN} theirs?` });
    await on.work();
    const decision = await record(on, id);
    expect(decision).toMatchObject({
      state: 'approved',
      title: `Pay ‹5› to ${MASK}`,
      call: { arguments: { amount: 5, iban: MASK, memo: `for ${MASK}` } },
      answers: [{ note: `Is ${MASK} theirs?` }],
      outcome: { state: 'done', result: { content: [{ text: `Paid {"amount":5,"iban":"${MASK}","memo":"for ${MASK}"}` }] } },
    });
    for (const shown of [decision, await rows(on), await log(on)]) expect(JSON.stringify(shown)).not.toContain(IBAN);
    expect(await rows(on)).toMatchObject([{ title: `Pay ‹5› to ${MASK}` }]);
    expect((await log(on)).find(({ type }) => type === 'decision.raised')?.payload).toMatchObject({ title: `Pay ‹5› to ${MASK}` });
  });

  it('is what the digests cover and what is sent', async () => {
    const on = await host({ rules: [PAY], config: hiding('args.iban') });
    const open = await host({ rules: [PAY] });
    expect((await record(open, (await pay(open)).id)).call?.digest).toBe(sha256(`{"amount":5,"iban":"${IBAN}"}`));
    const hidden = await host({ rules: [PAY], config: hiding('args.iban') });
    const { id, call } = await pay(hidden);
    expect((await record(hidden, id)).call?.digest).toBe(sha256(`{"amount":5,"iban":"${IBAN}"}`));
    await hidden.answer('ada', id, {});
    await dispatchCall(hidden.deps, call);
    expect(hidden.upstreams.seen.map(({ args }) => args)).toEqual([{ amount: 5, iban: IBAN }]);
    expect(on.upstreams.seen).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['args.iban', { to: { iban: IBAN } }, { to: { iban: MASK } }],
    ['args.iban', { list: [{ iban: IBAN }, { iban: 'FR7630006000011234567890189' }] }, { list: [{ iban: MASK }, { iban: MASK }] }],
    ['args.iban', { iban: { country: 'DE', number: [IBAN] }, other: IBAN }, { iban: MASK, other: MASK }],
    [
      'args.to.iban',
      { iban: 'CH9300762011623852957', to: { deep: { iban: IBAN } } },
      { iban: 'CH9300762011623852957', to: { deep: { iban: MASK } } },
    ],
    ['args.cards[*].pin', { cards: [{ pin: 1234, name: 'a' }], pin: 9 }, { cards: [{ pin: MASK, name: 'a' }], pin: 9 }],
    ['args.secrets.*', { secrets: { a: 1, b: [true] }, c: 1 }, { secrets: { a: MASK, b: MASK }, c: 1 }],
    ['args["card number"]', { 'card number': '4111 1111 1111 1111' }, { 'card number': MASK }],
    ['args.on', { on: false, off: false, none: null }, { on: MASK, off: false, none: null }],
    ['args.iban', { IBAN: 'x', ibans: ['y'] }, { IBAN: 'x', ibans: ['y'] }],
  ])('by the path %s is masked in %j at every depth', async (path, args, shown) => {
    const on = await host({ rules: [{ ...PAY, title: undefined }], config: hiding(path) });
    expect((await record(on, (await pay(on, args)).id)).call?.arguments).toEqual(shown);
  });

  it.each(['iban', 'args', 'args.', 'args..iban', 'args[iban]', 'args.iban ', 'x.args.iban', 'args.iban.'])(
    'is never taken from a path that names no field: %j',
    (path) => expect(ToolConfig.safeParse({ redact: [path] }).success).toBe(false),
  );

  it('is masked in a headline however it stands there', async () => {
    const title = '"Pay " + args.iban.substring(0, 8) + " or " + args.iban + " with " + args.key';
    const on = await host({ rules: [{ ...PAY, title }], config: hiding('args.iban', 'args.key') });
    const key = `k${'0123456789'.repeat(40)}`;
    const { id } = await pay(on, { iban: IBAN, key });
    expect((await record(on, id)).title).toBe(`Pay ${MASK} or ${MASK} with ${MASK}`);
    expect((await rows(on))[0]?.title).toBe(`Pay ${MASK} or ${MASK} with ${MASK}`);
  });

  it('is masked in a headline where the arguments are too large to be looked at', async () => {
    const on = await host({ rules: [PAY], config: hiding('args.iban') });
    const { id } = await pay(on, { amount: 5, iban: IBAN, more: 'x'.repeat(70_000) });
    expect((await rows(on))[0]).toMatchObject({ id, title: `Pay ${MASK} to ${MASK}`, telling: [] });
    expect((await record(on, id)).title).toBe(`Pay ‹5› to ${MASK}`);
    expect(JSON.stringify(await log(on))).not.toContain(IBAN);
  });

  it('is masked in what a row tells calls apart by', async () => {
    const on = await host({ rules: [{ ...PAY, title: undefined }], config: hiding('args.iban') });
    await pay(on, { amount: 5, iban: IBAN, memo: `to ${IBAN}` });
    expect((await rows(on))[0]?.telling).toEqual([
      { name: 'amount', value: '5' },
      { name: 'iban', value: MASK },
      { name: 'memo', value: `to ${MASK}` },
    ]);
  });

  it('is masked in what the server saw of earlier calls, cut ones included', async () => {
    const on = await host({ rules: [EAT], config: hiding('args.iban') });
    on.upstreams.behave(({ args }) => ({ ok: true, value: textReply(`${'x'.repeat(4000 - 70)}${JSON.stringify(args)}`) }));
    await on.call('researcher', 'ledger__send_money', { iban: IBAN });
    await on.call('researcher', 'ledger__send_money', { iban: 'FR7630006000011234567890189', more: 'y'.repeat(5000) });
    const eaten = await on.call('researcher', 'jar__cookie_jar', { action: 'eat', why: `for ${IBAN}` });
    if (eaten.kind !== 'held') throw new Error('Not held.');
    const decision = await record(on, eaten.decisions[0]!.id);
    const { lastCalls } = decision.context.seen as { lastCalls: { arguments: string; result: string }[] };
    expect(lastCalls.map((call) => call.arguments)).toEqual([MASK, `{"iban":"${MASK}"}`]);
    expect(JSON.stringify(decision)).not.toMatch(/DE893|FR763/);
    expect(decision.rememberTerm?.match).toContain(MASK);
    expect(decision.call?.arguments).toEqual({ action: 'eat', why: `for ${MASK}` });
  });

  it('is masked where it is escaped', async () => {
    const on = await host({ rules: [{ ...PAY, title: undefined }], config: hiding('args.password') });
    const password = 'say "friend"\nand\\enter';
    on.upstreams.behave(({ args }) => ({ ok: true, value: textReply(JSON.stringify({ echo: JSON.stringify(args) })) }));
    const { id } = await pay(on, { password });
    await on.answer('ada', id, {});
    await on.work();
    expect(JSON.stringify((await record(on, id)).outcome)).not.toContain('friend');
  });

  it('is masked in a question about the call, and in the log of an attempt', async () => {
    const on = await host({ config: hiding('args.iban') });
    await on.call('researcher', 'ledger__send_money', { iban: IBAN });
    const about = (await log(on)).find(({ type }) => type === 'call.admitted')?.call ?? '';
    const asked = await requestDecision(on.deps, await on.caller('researcher'), {
      ask: `May I pay ${IBAN}?`,
      why: 'It is due',
      about,
      origin: 'standing',
    });
    expect(asked).toMatchObject({ ok: true });
    await on.call('newcomer', 'ledger__send_money', { iban: IBAN });
    const [decision] = await on.decisions('ada');
    expect(decision?.request).toMatchObject({ ask: `May I pay ${MASK}?`, about: { arguments: { iban: MASK } } });
    for (const shown of [decision, await rows(on), (await log(on)).filter(({ type }) => type !== 'decision.raised')])
      expect(JSON.stringify(shown)).not.toContain(IBAN);
    expect((await log(on)).find(({ type }) => type === 'access.rejected')?.payload).toMatchObject({ arguments: { iban: MASK } });
    expect((await log(on)).find(({ type }) => type === 'decision.raised')?.payload).toMatchObject({
      request: { ask: `May I pay ${MASK}?` },
    });
  });

  it('can’t be found out by searching', async () => {
    const on = await host({ rules: [PAY], config: hiding('args.iban') });
    const { id } = await pay(on);
    for (const q of [IBAN, IBAN.slice(0, 6), 'Pay ']) {
      expect(await rows(on, { q })).toEqual([]);
      expect((await log(on, { q })).filter(({ type }) => type.startsWith('decision.'))).toEqual([]);
    }
    expect(await rows(on, { q: 'send_money' })).toMatchObject([{ id }]);
    expect(await log(on, { q: 'decision.raised' })).toMatchObject([{ decision: id }]);
  });
});

describe('a call with redacted arguments', () => {
  const SCHEMA = {
    inputSchema: { type: 'object', properties: { amount: { type: 'integer' }, iban: { type: 'string' } }, required: ['iban'] },
  };
  const TOOLS = { ledger__send_money: SCHEMA };

  it('keeps what its editor was not shown, and shows the edit masked', async () => {
    const on = await host({ tools: TOOLS, rules: [PAY], config: hiding('args.iban') });
    const { id, call } = await pay(on, { amount: 5, iban: IBAN, also: [{ iban: 'FR76' }, { iban: 'CH93' }], memo: `to ${IBAN}` });
    const { arguments: shown } = (await record(on, id)).call!;
    const editedArgs = { ...shown, amount: 4 };
    expect(await on.answer('ada', id, { editedArgs })).toMatchObject({ ok: true });
    await dispatchCall(on.deps, call);
    const sent = { amount: 4, iban: IBAN, also: [{ iban: 'FR76' }, { iban: 'CH93' }], memo: `to ${IBAN}` };
    expect(on.upstreams.seen.map(({ args }) => args)).toEqual([sent]);
    const decision = await record(on, id);
    expect([decision.call?.effectiveArguments, decision.answers[0]?.editedArgs]).toEqual([editedArgs, editedArgs]);
  });

  it('keeps what was masked for another call’s sake', async () => {
    const on = await host({ rules: [EAT], config: hiding('args.iban') });
    await on.call('researcher', 'ledger__send_money', { iban: IBAN });
    const held = await on.call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 2, why: `for ${IBAN}` });
    if (held.kind !== 'held') throw new Error('Not held.');
    const { id } = held.decisions[0]!;
    const { arguments: shown } = (await record(on, id)).call!;
    expect(shown.why).toBe(`for ${MASK}`);
    expect(await on.answer('ada', id, { editedArgs: { ...shown, amount: 1 } })).toMatchObject({ ok: true });
    await on.work();
    expect(on.upstreams.seen.at(-1)?.args).toEqual({ action: 'eat', amount: 1, why: `for ${IBAN}` });
  });

  it('counts as it was where nothing but masks came back', async () => {
    const on = await host({ tools: TOOLS, rules: [PAY], config: hiding('args.iban') });
    const { id } = await pay(on);
    const { arguments: shown } = (await record(on, id)).call!;
    expect(await on.answer('ada', id, { editedArgs: shown })).toMatchObject({ ok: true, value: { call: { effectiveArguments: null } } });
  });

  it('takes another value written over a mask', async () => {
    const on = await host({ tools: TOOLS, rules: [PAY], config: hiding('args.iban') });
    const { id, call } = await pay(on);
    expect(await on.answer('ada', id, { editedArgs: { amount: 5, iban: 'FR76' } })).toMatchObject({ ok: true });
    await dispatchCall(on.deps, call);
    expect(on.upstreams.seen.map(({ args }) => args)).toEqual([{ amount: 5, iban: 'FR76' }]);
    expect((await record(on, id)).call?.effectiveArguments).toEqual({ amount: 5, iban: MASK });
  });

  it.each([
    ['where nothing was hidden', { amount: 5, iban: MASK, memo: MASK }],
    ['inside other words', { amount: 5, iban: `${MASK}0` }],
    ['in a list that changed', { amount: 5, iban: MASK, also: [{ iban: MASK }] }],
  ])('never sends a mask as a value: %s', async (_, editedArgs) => {
    const on = await host({ tools: TOOLS, rules: [PAY], config: hiding('args.iban') });
    const { id } = await pay(on, { amount: 5, iban: IBAN, also: [{ iban: 'FR76' }, { iban: 'CH93' }] });
    expect(await on.answer('ada', id, { editedArgs })).toMatchObject({ ok: false, error: { code: 'decision.edit_refused' } });
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
  });

  it('is not remembered: a term would spell the value out', async () => {
    const on = await host({ rules: [PAY], terms: [], config: hiding('args.iban') });
    const { id } = await pay(on);
    expect((await record(on, id)).rememberTerm).toBeNull();
    expect(await on.answer('ada', id, { remember: {} })).toMatchObject({ ok: false, error: { code: 'mandate.invalid' } });
    const plain = await on.call('researcher', 'jar__cookie_jar', { amount: 1 });
    if (plain.kind !== 'held') throw new Error('Not held.');
    expect((await record(on, plain.decisions[0]!.id)).rememberTerm).not.toBeNull();
  });
});
