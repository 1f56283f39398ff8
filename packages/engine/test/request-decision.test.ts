import type { Term } from '@countersign/contracts';
import {
  awaitDecision,
  expireDecision,
  getMandate,
  type RequestInput,
  readDecision,
  requestDecision,
  suspendAgent,
  withdrawDecision,
} from '@countersign/engine';
import { queryAudit } from '@countersign/store';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const ASK: RequestInput = { ask: 'May I pay Bo 40 dollars?', why: 'The invoice is due on Friday.', origin: 'standing' };
const DAY = 86_400_000;

const ask = async (on: TestHost, agent: string, more: Partial<RequestInput> = {}) =>
  requestDecision(on.deps, await on.caller(agent), { ...ASK, ...more });

async function asked(on: TestHost, agent = 'researcher', more: Partial<RequestInput> = {}): Promise<string> {
  const end = await ask(on, agent, more);
  if (!end.ok || end.value.kind !== 'asked') throw new Error(`Not asked: ${JSON.stringify(end)}`);
  return end.value.decision.id;
}

const awaited = async (on: TestHost, id: string, agent = 'researcher', waitMs = 0) =>
  awaitDecision(on.deps, await on.caller(agent), id, { waitMs, signal: new AbortController().signal });

describe('a question without a call', () => {
  it('stands in the queue of the agent’s principal, in the agent’s words', async () => {
    const on = await host();
    const id = await asked(on);
    expect(await on.decisions('ben')).toEqual([]);
    const [decision] = await on.decisions('ada', 'pending');
    expect(decision).toMatchObject({
      id,
      kind: 'request',
      agent: 'researcher',
      answerBy: ['ada'],
      call: null,
      title: 'researcher asks: ‹May I pay Bo 40 dollars?›',
      request: { ask: ASK.ask, why: ASK.why, about: null, proposedTerm: null },
      context: { claimed: ASK.why },
      expiresAt: '2026-12-01T12:00:00.000Z',
      rememberTerm: null,
    });
    expect((await on.events()).at(-1)).toBe('decision.raised');
  });

  it('is put by an agent on probation as well, to its own principal', async () => {
    const on = await host();
    await asked(on, 'newcomer');
    await asked(on, 'treasurer');
    expect((await on.decisions('ada', 'pending')).map((one) => one.agent)).toEqual(['newcomer']);
    expect((await on.decisions('ben', 'pending')).map((one) => one.agent)).toEqual(['treasurer']);
  });

  it('brings a "yes" with its note to whoever waits, runs nothing and changes no terms', async () => {
    const on = await host();
    const id = await asked(on);
    const waiting = awaited(on, id, 'researcher', 60_000);
    expect(await on.answer('ada', id, { note: 'From the small account.' })).toMatchObject({
      ok: true,
      value: { state: 'approved', outcome: null },
    });
    expect(await waiting).toEqual({
      ok: true,
      value: {
        kind: 'answered',
        decision: id,
        code: 'approved',
        by: ['ada'],
        reason: null,
        note: { by: 'ada', text: 'From the small account.' },
      },
    });
    await on.work();
    expect(on.upstreams.seen).toEqual([]);
    expect(await getMandate(on.deps, await on.caller('ada'))).toMatchObject({ value: { version: 1 } });
  });

  it('tells a "no", silence and a withdrawal apart', async () => {
    const on = await host();
    const no = await asked(on);
    await on.answer('ada', no, { effect: 'refuse', note: 'Not this month.' });
    expect(await awaited(on, no)).toMatchObject({
      value: { code: 'refused_by_principal', by: ['ada'], note: { text: 'Not this month.' } },
    });

    const late = await asked(on, 'researcher', { ask: 'May I sell?' });
    expect(await awaited(on, late)).toMatchObject({ value: { kind: 'asked', decision: { state: 'pending' } } });
    on.pass(DAY);
    await expireDecision(on.deps, late);
    expect(await awaited(on, late)).toMatchObject({ value: { code: 'expired', by: [], note: null } });

    const back = await asked(on, 'researcher', { ask: 'May I buy?' });
    await withdrawDecision(on.deps, await on.caller('researcher'), back, 'no longer needed');
    expect(await awaited(on, back)).toMatchObject({ value: { code: 'withdrawn', by: ['researcher'], reason: 'no longer needed' } });
  });

  it('is nobody else’s: another agent’s id answers like none', async () => {
    const on = await host();
    const id = await asked(on);
    for (const agent of ['treasurer', 'newcomer']) {
      expect(await awaited(on, id, agent)).toEqual({ ok: false, error: { code: 'not_found', message: `There is no decision ${id}.` } });
      expect(await readDecision(on.deps, await on.caller(agent), id)).toMatchObject({ error: { code: 'not_found' } });
    }
  });

  it('is the same question when only its reasons or its spelling differ, also when asked many times at once', async () => {
    const on = await host();
    const ids = await Promise.all(
      [ASK.ask, '  may i PAY Bo 40  dollars?', ASK.ask].map((text, n) => asked(on, 'researcher', { ask: text, why: `Reason ${n}` })),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await on.decisions('ada', 'pending')).toHaveLength(1);
  });

  it('gets the same "no" again for a week, and another question shows the history (E5)', async () => {
    const on = await host();
    const id = await asked(on);
    await on.answer('ada', id, { effect: 'refuse', note: 'Not this month.' });
    expect(await ask(on, 'researcher', { why: 'But it is really urgent!' })).toMatchObject({
      ok: true,
      value: { kind: 'answered', decision: id, code: 'refused_by_principal', note: { by: 'ada', text: 'Not this month.' } },
    });
    expect(await on.decisions('ada', 'pending')).toEqual([]);
    expect((await on.events()).at(-1)).toBe('request.refused');

    await asked(on, 'researcher', { ask: 'May I pay Bo 39 dollars?' });
    const [like] = await on.decisions('ada', 'pending');
    expect(like).toMatchObject({
      afterRefusalOf: id,
      grounds: [{ kind: 'term' }, { kind: 'earlier_no', reason: expect.stringMatching(/refused once .*“Not this month\.”/) }],
    });

    on.pass(7 * DAY);
    expect(await ask(on, 'researcher')).toMatchObject({ value: { kind: 'asked' } });
  });

  it('stops at the number of decisions that an agent may have open, and says so in the log', async () => {
    const on = await host({
      config: { limits: { pending_per_agent: 2, call_bytes: 4096, requests_per_minute: 60, chain_depth: 4, consults_per_run: 16 } },
    });
    const ends = [];
    for (const n of [1, 2, 3]) ends.push(await ask(on, 'researcher', { ask: `May I? ${n}` }));
    expect(ends.map((end) => (end.ok ? end.value.kind : end.error.code))).toEqual(['asked', 'asked', 'limit.reached']);
    expect((await on.events()).at(-1)).toBe('request.refused');
  });

  it('names the call, the decision or the tool that it is about, if they are the agent’s own', async () => {
    const on = await host({ rules: [EAT] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    const call = (await on.decisions('ada', 'pending'))[0]?.call?.id ?? '';
    await asked(on, 'researcher', { ask: 'a', about: call });
    await asked(on, 'researcher', { ask: 'b', about: id });
    await asked(on, 'researcher', { ask: 'c', about: 'ledger__send_money' });
    const shown = (await on.decisions('ada', 'pending')).filter((one) => one.kind === 'request').map((one) => one.request?.about);
    expect(shown).toEqual([
      { kind: 'tool', tool: 'ledger__send_money' },
      { kind: 'decision', id, title: expect.any(String), state: 'pending' },
      { kind: 'call', id: call, tool: 'jar__cookie_jar', arguments: { action: 'eat' }, state: 'held' },
    ]);
    const foreign = await Promise.all([call, id, 'vault__open', 'call_none'].map((about) => ask(on, 'treasurer', { about })));
    expect(foreign.map((end) => !end.ok && end.error.code)).toEqual(Array(4).fill('not_found'));
    expect(await ask(on, 'newcomer', { about: 'ledger__send_money' })).toMatchObject({ error: { code: 'not_found' } });
    expect(await on.decisions('ben')).toEqual([]);
  });

  it('shows a proposed term and adds none, whatever the answer is (D8)', async () => {
    const on = await host({ terms: [] });
    const proposedTerm: Term = { tool: '*', when: 'only reading', match: 'true' };
    const id = await asked(on, 'researcher', { proposedTerm });
    const [decision] = await on.decisions('ada', 'pending');
    expect(decision).toMatchObject({
      request: { proposedTerm },
      grounds: [{ reason: expect.stringContaining("only ada's own hand does") }],
      rememberTerm: null,
    });
    expect(await on.answer('ada', id, { remember: {} })).toMatchObject({ error: { code: 'input.invalid' } });
    expect(await on.answer('ada', id, {})).toMatchObject({ ok: true });
    expect(await getMandate(on.deps, await on.caller('ada'))).toMatchObject({ value: { version: 1, terms: [] } });
    expect(await on.call('researcher', 'jar__cookie_jar', {})).toMatchObject({ kind: 'held' });
  });

  it('says where a proposed term does not compile, and asks nothing', async () => {
    const on = await host();
    const end = await ask(on, 'researcher', { proposedTerm: { tool: 'jar__*', when: 'few', match: 'args.n < 3 &&\n foo' } });
    expect(end).toMatchObject({ error: { code: 'mandate.invalid', detail: { problems: [{ line: 2, column: expect.any(Number) }] } } });
    expect(
      await ask(on, 'researcher', { proposedTerm: { tool: 'jar__*', when: 'then', expires_at: '2026-11-30T12:00:00.000Z' } }),
    ).toMatchObject({ error: { code: 'input.invalid' } });
    expect(await on.decisions('ada')).toEqual([]);
  });

  it('is taken back when its agent is suspended, and a suspended agent asks no more', async () => {
    const on = await host();
    const id = await asked(on);
    const caller = await on.caller('researcher');
    await suspendAgent(on.deps, { operator: true }, 'researcher');
    expect((await on.decisions('ada')).find((one) => one.id === id)?.state).toBe('withdrawn');
    expect(await requestDecision(on.deps, caller, { ...ASK, ask: 'And now?' })).toMatchObject({ error: { code: 'credential.invalid' } });
  });

  it('puts its words into the log of the agent that wrote them', async () => {
    const on = await host();
    const id = await asked(on);
    const { items } = await queryAudit(
      on.deps.store.db,
      { agent: 'researcher', principal: 'ada' },
      { limit: 10, order: 'newest', decision: id },
    );
    expect(items).toMatchObject([
      { type: 'decision.raised', actor: { kind: 'agent', name: 'researcher' }, payload: { kind: 'request', request: { ask: ASK.ask } } },
    ]);
  });
});
