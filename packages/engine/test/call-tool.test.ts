import { callTool, createAuthority, issueAgentCredential, revokeCredential } from '@countersign/engine';
import { queryAudit } from '@countersign/store';
import { describe, expect, it } from 'vitest';
import { EAT, SMASH, sharedHosts } from './shared-host.ts';

const host = sharedHosts();

describe('the gate', () => {
  it('runs an allowed call with its intent before and its outcome after it', async () => {
    const { call, events, upstreams } = await host();
    expect(await call('researcher', 'jar__cookie_jar', { action: 'count' })).toMatchObject({ kind: 'reply' });
    expect(upstreams.seen).toHaveLength(1);
    expect((await events()).slice(-2)).toEqual(['call.admitted', 'call.completed']);
  });

  it('refuses what a rule refuses, with the reason, and sends nothing', async () => {
    const { call, events, upstreams } = await host({ rules: [{ ...SMASH, effect: 'refuse' }] });
    expect(await call('researcher', 'jar__smash_jar', {})).toMatchObject({
      kind: 'refused',
      code: 'refused_by_rule',
      reason: 'There is no undo.',
    });
    expect(upstreams.seen).toEqual([]);
    expect((await events()).at(-1)).toBe('call.refused');
  });

  it('holds what a rule catches, with the decision in its principal’s queue', async () => {
    const { call, decisions, events, upstreams } = await host({ rules: [EAT] });
    const end = await call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    expect(end).toMatchObject({ kind: 'held', decisions: [{ answerBy: ['ada'], reasons: ['Cookies cannot be un-eaten.'] }] });
    expect(upstreams.seen).toEqual([]);
    expect(await decisions('ada', 'pending')).toMatchObject([
      { kind: 'call', agent: 'researcher', call: { arguments: { action: 'eat', amount: 3 } } },
    ]);
    expect(await decisions('ben', 'pending')).toEqual([]);
    expect((await events()).slice(-2)).toEqual(['call.held', 'decision.raised']);
  });

  it('runs an approved call once and gives its result to the caller that waits', async () => {
    const { held, answer, work, upstreams } = await host({ rules: [EAT] });
    const { id, end } = await held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    expect(await answer('ada', id, { effect: 'approve' })).toMatchObject({ ok: true, value: { state: 'approved' } });
    await work();
    expect(await end).toMatchObject({ kind: 'reply', reply: { result: { content: [{ text: '{"action":"eat","amount":3}' }] } } });
    expect(upstreams.seen).toHaveLength(1);
  });

  it('gives the "no" and its note to the caller, and has no way to upstream from there (C8)', async () => {
    const { held, answer, work, upstreams, events } = await host({ rules: [EAT] });
    const { id, end } = await held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    await answer('ada', id, { effect: 'refuse', note: 'Leave some for Ben.' });
    await work();
    expect(await end).toMatchObject({
      kind: 'refused',
      code: 'refused_by_principal',
      decision: id,
      note: { by: 'ada', text: 'Leave some for Ben.' },
    });
    expect(upstreams.seen).toEqual([]);
    expect((await events()).slice(-2)).toEqual(['decision.refused', 'call.refused']);
  });

  it('makes eight parallel calls eight decisions, answerable in any order, each run with its own arguments (B1, A3)', async () => {
    const { call, decisions, answer, work, upstreams } = await host({ rules: [EAT] });
    await Promise.all(Array.from({ length: 8 }, (_, amount) => call('researcher', 'jar__cookie_jar', { action: 'eat', amount })));
    const pending = await decisions('ada', 'pending');
    expect(pending).toHaveLength(8);
    const shuffled = [...pending].sort((a, b) => (a.shownDigest < b.shownDigest ? -1 : 1));
    for (const decision of shuffled) expect(await answer('ada', decision.id, {})).toMatchObject({ ok: true });
    await work();
    expect(upstreams.seen.map((call) => call.args.amount)).toEqual(shuffled.map((decision) => decision.call?.arguments.amount));
  });

  it('attaches an identical call to the open decision, key order aside, instead of asking twice (A5)', async () => {
    const { call, decisions } = await host({ rules: [EAT] });
    await Promise.all([
      call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 }),
      call('researcher', 'jar__cookie_jar', { amount: 3, action: 'eat' }),
      call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 }, { origin: 'another session' }),
    ]);
    expect(await decisions('ada', 'pending')).toHaveLength(1);
  });

  it('lets one approval authorise one call: once its result was fetched, the next identical call is judged afresh (A5, B7)', async () => {
    const { call, decisions, answer, work, upstreams } = await host({ rules: [EAT] });
    const args = { action: 'eat', amount: 3 };
    await call('researcher', 'jar__cookie_jar', args);
    const [decision] = await decisions('ada', 'pending');
    await answer('ada', decision!.id, {});
    await work();
    expect(await call('researcher', 'jar__cookie_jar', args)).toMatchObject({ kind: 'reply' });
    expect(upstreams.seen).toHaveLength(1);
    expect(await call('researcher', 'jar__cookie_jar', args)).toMatchObject({ kind: 'held' });
    expect(await decisions('ada', 'pending')).toHaveLength(1);
    expect(upstreams.seen).toHaveLength(1);
  });

  it('gives a call that was approved to a re-issue of it even where nobody would ask by now, and runs it once (B7)', async () => {
    const { call, decisions, answer, work, upstreams, setRules } = await host({ rules: [EAT] });
    const args = { action: 'eat', amount: 3 };
    await call('researcher', 'jar__cookie_jar', args);
    const [decision] = await decisions('ada', 'pending');
    await answer('ada', decision!.id, {});
    setRules([]);
    expect(await call('researcher', 'jar__cookie_jar', args)).toMatchObject({ kind: 'held' });
    await work();
    expect(await call('researcher', 'jar__cookie_jar', args, { origin: 'another session' })).toMatchObject({
      kind: 'reply',
      decisions: [decision!.id],
    });
    expect(upstreams.seen).toHaveLength(1);
    expect(await call('researcher', 'jar__cookie_jar', args)).toMatchObject({ kind: 'reply', decisions: [] });
    expect(upstreams.seen).toHaveLength(2);
  });

  it('withdraws the question of a caller that left before it was told the id, and runs nothing', async () => {
    const { call, decisions, events, upstreams } = await host({ rules: [EAT] });
    const leaving = new AbortController();
    await call(
      'researcher',
      'jar__cookie_jar',
      { action: 'eat' },
      { waitMs: 60_000, signal: leaving.signal, onHeld: () => leaving.abort() },
    );
    expect(await decisions('ada')).toMatchObject([{ state: 'withdrawn', outcome: { state: 'not_run' } }]);
    expect((await events()).slice(-2)).toEqual(['call.abandoned', 'decision.withdrawn']);
    expect(upstreams.seen).toEqual([]);
  });

  it('shows nothing of a tool to who may not have it: hidden and absent end alike (D1, D5)', async () => {
    const { call, deps } = await host();
    const hidden = await call('newcomer', 'jar__cookie_jar', { action: 'count' });
    expect(hidden).toEqual({ kind: 'hidden' });
    for (const name of ['jar__nothing', 'JAR__COOKIE_JAR', 'jar__cookie-jar', 'jar__сookie_jar', 'cookie_jar', 'other__cookie_jar']) {
      expect(await call('researcher', name, {})).toEqual(hidden);
    }
    const { items } = await queryAudit(deps.store.db, 'all', { limit: 20, order: 'oldest', type: ['access.rejected'] });
    expect(items.map((event) => [event.agent, event.payload.code])).toEqual([
      ['newcomer', 'tool.unknown'],
      ...Array(6).fill(['researcher', 'tool.unknown']),
    ]);
  });

  it('applies a rule that it cannot evaluate, whatever the argument is (D2)', async () => {
    const { call } = await host({ rules: [{ ...EAT, match: 'args.amount > 5' }] });
    const ends = await Promise.all(
      [null, '9', ['9'], {}, undefined].map((amount) => call('researcher', 'jar__cookie_jar', amount === undefined ? {} : { amount })),
    );
    for (const end of ends)
      expect(end).toMatchObject({ kind: 'held', decisions: [{ reasons: [expect.stringMatching(/^Could not evaluate/)] }] });
    expect(await call('researcher', 'jar__cookie_jar', { amount: 5 })).toMatchObject({ kind: 'reply' });
  });

  it('sends a call that no term covers to the principal whose mandate lacks it', async () => {
    const { call, decisions } = await host({ terms: [{ tool: 'files__*', when: 'files' }] });
    expect(await call('treasurer', 'jar__cookie_jar', { action: 'count' })).toMatchObject({ kind: 'held' });
    expect(await decisions('ben', 'pending')).toMatchObject([
      { grounds: [{ kind: 'term', reason: expect.stringContaining('jar__cookie_jar') }] },
    ]);
  });

  it('refuses at once what nobody could ever answer, and says so (C10)', async () => {
    const { call, decisions, events } = await host({ rules: [{ ...EAT, answer_by: ['cleo'] }] });
    expect(await call('researcher', 'jar__cookie_jar', { action: 'eat' })).toMatchObject({
      kind: 'refused',
      code: 'refused_by_rule',
      reason: expect.stringContaining('cleo'),
    });
    expect(await decisions('ada')).toEqual([]);
    expect((await events()).at(-1)).toBe('call.refused');
  });

  it('refuses the same call after a "no" at once with the note, and asks a like one with the history (E5)', async () => {
    const { held, call, answer, decisions } = await host({ rules: [EAT] });
    const { id } = await held('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
    await answer('ada', id, { effect: 'refuse', note: 'Leave some for Ben.' });
    expect(await call('researcher', 'jar__cookie_jar', { amount: 3, action: 'eat' })).toMatchObject({
      kind: 'refused',
      code: 'refused_by_principal',
      reason: expect.stringContaining('Leave some for Ben.'),
    });
    expect(await call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 2 })).toMatchObject({ kind: 'held' });
    expect((await decisions('ada', 'pending'))[0]?.grounds.map((ground) => ground.kind)).toContain('earlier_no');
  });

  it('judges again under the terms that hold when the intent commits', async () => {
    const { call, deps, upstreams } = await host();
    await call('researcher', 'jar__cookie_jar', { action: 'count' });
    // Another process narrows the mandate: this one has the old one in its cache and hears nothing.
    await deps.store.db.execute(
      `insert into mandate select principal, version + 1, '["directory:read"]'::jsonb, terms, budget, 'ada', created_at from mandate where principal = 'ada'`,
    );
    await deps.store.db.execute('update host set authority = authority + 1');
    expect(await call('researcher', 'jar__cookie_jar', { action: 'count' })).toEqual({ kind: 'hidden' });
    expect(upstreams.seen).toHaveLength(1);
  });

  it('stops a credential that another process revoked, before anything runs', async () => {
    const { deps, upstreams } = await host();
    const issued = await issueAgentCredential(deps, { operator: true }, 'researcher', { label: '' });
    if (!issued.ok) throw new Error(issued.error.message);
    const here = await deps.authority.resolve(issued.value.token);
    if (!here.ok) throw new Error(here.error.message);
    const elsewhere = { ...deps, authority: createAuthority({ store: deps.store, now: deps.now, hold: () => deps.config().hold }) };
    await revokeCredential(elsewhere, { operator: true }, issued.value.id);
    const call = {
      tool: 'jar__cookie_jar',
      args: {},
      claimed: null,
      origin: 'standing',
      hasProgress: false,
      signal: new AbortController().signal,
    };
    expect(await callTool(deps, here.value, call)).toMatchObject({ kind: 'unavailable', error: { code: 'credential.invalid' } });
    expect(upstreams.seen).toEqual([]);
  });

  it('runs nothing that it cannot record, and goes on when it can again (G4)', async () => {
    const { call, deps, upstreams } = await host();
    await deps.store.db.execute('alter table audit_pending rename to audit_gone');
    expect(await call('researcher', 'jar__cookie_jar', { action: 'count' })).toMatchObject({
      kind: 'unavailable',
      error: { code: 'store.unavailable' },
    });
    expect(upstreams.seen).toEqual([]);
    await deps.store.db.execute('alter table audit_gone rename to audit_pending');
    expect(await call('researcher', 'jar__cookie_jar', { action: 'count' })).toMatchObject({ kind: 'reply' });
  });

  it('reports a call that may have left as unknown and one that did not as failed', async () => {
    const { call, upstreams, events } = await host();
    upstreams.behave(() => ({ ok: false, error: { sent: true, code: 'upstream.timeout', message: 'No reply in 60 s.' } }));
    expect(await call('researcher', 'jar__cookie_jar', {})).toMatchObject({ kind: 'unknown' });
    upstreams.behave(() => ({ ok: false, error: { sent: false, code: 'upstream.down', message: 'Not connected.' } }));
    expect(await call('researcher', 'jar__cookie_jar', {})).toMatchObject({ kind: 'failed', sent: false });
    expect((await events()).filter((type) => type.startsWith('call.'))).toEqual([
      'call.admitted',
      'call.outcome_unknown',
      'call.admitted',
      'call.failed',
    ]);
  });

  it('stops at the number of decisions that an agent may have open', async () => {
    const { call, decisions } = await host({
      rules: [EAT],
      config: { limits: { pending_per_agent: 2, call_bytes: 4096, requests_per_minute: 60 } },
    });
    const ends = [];
    for (const amount of [1, 2, 3]) ends.push(await call('researcher', 'jar__cookie_jar', { action: 'eat', amount }));
    expect(ends.map((end) => end.kind)).toEqual(['held', 'held', 'unavailable']);
    expect(await decisions('ada', 'pending')).toHaveLength(2);
  });
});
