/** What is approved is what runs, once, as long as it still is what was approved. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@countersign/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, approve, pendingOf, readDecision, settledCall } from './answers.ts';
import { type Agent, codeOf, connectAgent, heldAs, textOf } from './mcp-clients.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn, stdioServer } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';
import { until } from './until.ts';

const folder = scratch('approved');
const counted = join(folder, 'counted.jsonl');
const trigger = join(folder, 'trigger');
const LIMIT = {
  id: 'limit',
  tool: 'counter__increment',
  when: 'n is above 50',
  match: 'has(args.n) && args.n > 50',
  reason: 'Never more than 50.',
  effect: 'refuse',
};
const NOTES = { id: 'notes', tool: 'notes__fetch_notes', when: 'always', reason: 'Notes are private.' };
const config = (more: object = {}) =>
  aConfig({
    servers: { counter: counterServer(counted), notes: stdioServer('misbehaving', { TRIGGER_FILE: trigger }, ['rug-pull']) },
    rules: [COUNTER_RULE, LIMIT, NOTES],
    ...more,
  });

let host: StartedHost;
let agent: Agent;
let ada: Client;
beforeAll(async () => {
  host = await startHost({ config: config() });
  agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  ada = await host.principal('ada');
});

/** Calls differ by what the tests give them, so that none of them attaches to another's decision or meets its "no". */
const hold = async (args: Readonly<Record<string, unknown>>): Promise<string> => heldAs(await agent.call('counter__increment', args));
const executions = (test: string) => executionsIn(counted).filter(({ args }) => args.test === test);
const eventsOf = async (query: { readonly call: string }) => mustBe(await ada.audit.query({ ...query, order: 'oldest', limit: 200 })).items;
const callOf = async (id: string): Promise<string> => (await readDecision(ada, id)).call?.id ?? '';

describe('an approval that no worker has taken yet', () => {
  afterEach(async () => {
    await host.operator().host.thaw();
    host.configure(config());
    await host.operator().host.reloadConfig();
  });

  /** While the host is frozen an approval stands and nothing is dispatched. */
  async function approvedInTheIce(tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const id = heldAs(await agent.call(tool, args));
    mustBe(await ada.host.freeze('Looking closer.'));
    expect((await approve(ada, id)).call?.state).toBe('queued');
    return id;
  }

  it('is not dispatched under changed rules; the event names the decision, and the new question is linked to the old (A1, A2)', async () => {
    const id = await approvedInTheIce('counter__increment', { test: 'rules' });
    host.configure(config({ rules: [{ ...COUNTER_RULE, reason: 'Counting is for keeps, and it is late.' }, LIMIT, NOTES] }));
    mustBe(await host.operator().host.reloadConfig());
    mustBe(await ada.host.thaw());
    const old = await until('the approval is voided', async () => {
      const decision = await readDecision(ada, id);
      return decision.supersededBy === null ? null : decision;
    });
    expect([old.state, old.call?.state]).toEqual(['approved', 'held']);
    expect(executions('rules')).toEqual([]);
    expect((await eventsOf({ call: old.call?.id ?? '' })).find(({ type }) => type === 'call.voided')).toMatchObject({ decision: id });
    const fresh = await readDecision(ada, old.supersededBy ?? '');
    expect(fresh).toMatchObject({ supersedes: id, state: 'pending', grounds: [{ reason: 'Counting is for keeps, and it is late.' }] });
    await approve(ada, fresh.id);
    expect((await settledCall(ada, fresh.id)).call?.state).toBe('done');
    expect(executions('rules')).toHaveLength(1);
  });

  it('is not dispatched under rules that refuse by now, and the event names the decision (A1)', async () => {
    const id = await approvedInTheIce('counter__increment', { test: 'refusing rules' });
    host.configure(config({ rules: [{ ...COUNTER_RULE, effect: 'refuse' }, LIMIT, NOTES] }));
    mustBe(await host.operator().host.reloadConfig());
    mustBe(await ada.host.thaw());
    const { call } = await settledCall(ada, id);
    expect(call?.state).toBe('refused');
    expect((await eventsOf({ call: call?.id ?? '' })).find(({ type }) => type === 'call.refused')).toMatchObject({ decision: id });
    expect(codeOf(await agent.call('await_decision', { id }))).toBe('refused_by_rule');
    expect(executions('refusing rules')).toEqual([]);
  });

  it('is not dispatched to a tool whose definition changed, and the event names the decision (A1)', async () => {
    const id = await approvedInTheIce('notes__fetch_notes', { test: 'definition' });
    writeFileSync(trigger, '');
    await until('the tool is quarantined', async () =>
      mustBe(await ada.rules.table()).tools.some(({ tool, state }) => tool === 'notes__fetch_notes' && state === 'quarantined'),
    );
    mustBe(await ada.host.thaw());
    const { call } = await settledCall(ada, id);
    expect(call?.state).toBe('refused');
    expect((await eventsOf({ call: call?.id ?? '' })).find(({ type }) => type === 'call.refused')).toMatchObject({ decision: id });
    const question = (await pendingOf(ada)).find(({ kind }) => kind === 'tool');
    expect(question?.title).toContain('notes__fetch_notes');
  });

  it('is not dispatched for an agent that was suspended (A2)', async () => {
    mustBe(await host.operator().agents.create({ name: 'passenger', principal: 'ada' }));
    mustBe(await host.operator().agents.admit('passenger'));
    const passenger = await connectAgent(host.mcp(), await host.agentToken('passenger'));
    const id = heldAs(await passenger.call('counter__increment', { test: 'suspended' }));
    mustBe(await ada.host.freeze('Looking closer.'));
    await approve(ada, id);
    const { code } = await host.cli(['agents', 'suspend', 'passenger', '--json']);
    expect(code).toBe(0);
    mustBe(await ada.host.thaw());
    expect((await settledCall(ada, id)).call?.state).toBe('refused');
    expect(executions('suspended')).toEqual([]);
  });
});

describe('during the hold', () => {
  it('a narrowed term raises a new decision, linked to the old one, and nothing runs before it is answered (A2)', async () => {
    const id = await hold({ test: 'narrowed' });
    const before = mustBe(await ada.mandate.get());
    mustBe(await ada.mandate.set({ scopes: before.scopes, terms: [{ tool: 'notes__*', when: 'notes only' }] }, before.version));
    await approve(ada, id);
    const old = await until('a new question', async () => {
      const decision = await readDecision(ada, id);
      return decision.supersededBy === null ? null : decision;
    });
    expect(executions('narrowed')).toEqual([]);
    const fresh = await readDecision(ada, old.supersededBy ?? '');
    expect(fresh).toMatchObject({ supersedes: id, grounds: expect.arrayContaining([expect.objectContaining({ kind: 'term' })]) });
    mustBe(await answer(ada, fresh.id, { effect: 'refuse', note: 'Not like this.' }));
    const { version } = mustBe(await ada.mandate.get());
    mustBe(await ada.mandate.set({ scopes: before.scopes, terms: before.terms }, version));
    expect(executions('narrowed')).toEqual([]);
  });

  it('a scope that is taken away hides the tool, and neither the approval nor an edit runs anything (A2, A7)', async () => {
    const id = await hold({ test: 'scope' });
    const edited = await hold({ test: 'scope', n: 2 });
    const before = mustBe(await ada.mandate.get());
    const scopes = before.scopes.filter((scope) => scope !== 'tools:call');
    mustBe(await ada.mandate.set({ scopes, terms: before.terms }, before.version));
    expect(await answer(ada, edited, { editedArgs: { test: 'scope', n: 3 } })).toMatchObject({
      ok: false,
      error: { code: 'decision.edit_refused' },
    });
    await approve(ada, id);
    expect((await settledCall(ada, id)).call?.state).toBe('refused');
    const { version } = mustBe(await ada.mandate.get());
    mustBe(await ada.mandate.set({ scopes: before.scopes, terms: before.terms }, version));
    expect(executions('scope')).toEqual([]);
  });
});

describe('an approval', () => {
  it('covers its own arguments and no others (A1, A5)', async () => {
    const id = await hold({ test: 'arguments', n: 1 });
    await approve(ada, id);
    const other = await hold({ test: 'arguments', n: 2 });
    expect(other).not.toBe(id);
    await settledCall(ada, id);
    expect(executions('arguments').map(({ args }) => args.n)).toEqual([1]);
  });

  it('runs each of two calls of one tool with its own arguments, answered in reverse order (A3)', async () => {
    const first = await hold({ test: 'reverse', n: 1 });
    const second = await hold({ test: 'reverse', n: 2 });
    for (const id of [second, first]) {
      await approve(ada, id);
      await settledCall(ada, id);
    }
    expect(executions('reverse').map(({ args }) => args.n)).toEqual([2, 1]);
    for (const [id, n] of [
      [first, 1],
      [second, 2],
    ] as const) {
      const { call } = await readDecision(ada, id);
      const execution = executions('reverse').find(({ args }) => args.n === n);
      expect(execution?.meta['io.countersign/idempotency-key']).toBe(call?.id);
    }
  });

  it('is for what was shown, hashed and sent, which are one thing, whatever the caller does to its object afterwards (A4)', async () => {
    const args = { z: 1, test: 'shown', a: { y: [1, 2], b: 'two' } };
    const id = await hold(args);
    args.z = 999;
    args.a.b = 'something else';
    const { call } = await readDecision(ada, id);
    const canonical = '{"a":{"b":"two","y":[1,2]},"test":"shown","z":1}';
    expect(call?.arguments).toEqual(JSON.parse(canonical));
    expect(call?.digest).toBe(`sha256:${createHash('sha256').update(canonical).digest('hex')}`);
    await approve(ada, id);
    await settledCall(ada, id);
    expect(executions('shown').map((execution) => execution.args)).toEqual([JSON.parse(canonical)]);
  });

  it('authorises one call: the next identical one is judged afresh, whatever the order of its keys (A5)', async () => {
    const id = await hold({ test: 'once', n: 1 });
    expect(await hold({ n: 1, test: 'once' })).toBe(id);
    await approve(ada, id);
    expect(textOf(await agent.call('await_decision', { id, wait_seconds: 30 }))).toBe('incremented');
    const next = await hold({ n: 1, test: 'once' });
    expect(next).not.toBe(id);
    expect(executions('once')).toHaveLength(1);
  });

  it('is not given by a page that was loaded before the decision changed: 409, who and when (A6)', async () => {
    const id = await hold({ test: 'stale' });
    const page = await readDecision(ada, id);
    const later = new Date(Date.parse(page.expiresAt) + 3_600_000).toISOString();
    mustBe(await ada.decisions.extend(id, { version: page.version, expiresAt: later }));
    const input = { version: page.version, shownDigest: page.shownDigest, effect: 'approve' } as const;
    expect(await ada.decisions.answer(id, input)).toMatchObject({ ok: false, error: { code: 'decision.stale', status: 409 } });

    const { version } = await readDecision(ada, id);
    const wrong = { ...input, version, shownDigest: `sha256:${'0'.repeat(64)}` } as const;
    expect(await ada.decisions.answer(id, wrong)).toMatchObject({ ok: false, error: { code: 'decision.digest_mismatch', status: 409 } });

    mustBe(await answer(ada, id, { effect: 'refuse' }));
    const at = (await readDecision(ada, id)).settledAt ?? '';
    const late = await ada.decisions.answer(id, { ...input, version });
    expect(late).toMatchObject({
      ok: false,
      error: { code: 'decision.already_answered', status: 409, message: expect.stringContaining('ada') },
    });
    expect(late.ok ? '' : late.error.message).toContain(at);
    expect(executions('stale')).toEqual([]);
  });

  it('with edited arguments runs those, and keeps what was asked, edited and run (A7)', async () => {
    const id = await hold({ test: 'edited', n: 3 });
    mustBe(await answer(ada, id, { editedArgs: { test: 'edited', n: 1 } }));
    expect(await settledCall(ada, id)).toMatchObject({
      call: { arguments: { n: 3 }, effectiveArguments: { n: 1 }, state: 'done' },
      answers: [{ editedArgs: { n: 1 } }],
    });
    expect(executions('edited').map(({ args }) => args.n)).toEqual([1]);
  });

  it.each([
    ['hits a rule that refuses', { editedArgs: { test: 'bad edit', n: 51 } }, 422, 'decision.edit_refused'],
    ['does not fit the tool’s schema', { editedArgs: { test: 'bad edit', delay_ms: 'soon' } }, 422, 'decision.edit_refused'],
    ['names another tool', { editedArgs: { test: 'bad edit' }, tool: 'notes__fetch_notes' }, 400, 'input.invalid'],
    ['is no object', { editedArgs: ['bad edit'] }, 400, 'input.invalid'],
  ])('with an edit that %s is refused before anything runs (A7)', async (_, edit, status, code) => {
    const id = await hold({ test: 'bad edit', at: code, status, edit: JSON.stringify(edit) });
    expect(await answer(ada, id, edit as object)).toMatchObject({ ok: false, error: { status, code } });
    expect((await readDecision(ada, id)).state).toBe('pending');
    expect(executions('bad edit')).toEqual([]);
  });

  it('without edits sends every value as it came (A8)', async () => {
    const args = {
      test: 'bytes',
      n: 5,
      s: '5',
      nested: [[], '', [[]], { deep: [1, '1', null, true, false, {}] }],
      empty: {},
      '': 'empty key',
      text: 'zażółć 🫙 e\u0301 é \u200b\u202e"\\/\n\t\u2028',
      big: 9_007_199_254_740_991,
      small: 1e-7,
      tiny: 5e-324,
      huge: 1.7976931348623157e308,
      negative: -0.5,
      looksLikeDate: '2026-11-30T00:00:00Z',
      looksLikeNull: 'null',
    };
    const id = await hold(args);
    await approve(ada, id);
    await settledCall(ada, id);
    expect(executions('bytes').map((execution) => execution.args)).toEqual([args]);
    expect((await readDecision(ada, id)).call?.arguments).toEqual(args);
    expect(await callOf(id)).toBe(executions('bytes')[0]?.meta['io.countersign/idempotency-key']);
  });
});
