/** A call that was sent once and may have taken effect: whatever happens to it later, nobody is told that it was not executed. */
import {
  awaitDecision,
  cancelRun,
  dispatchCall,
  freezeHost,
  reconcile,
  setMandate,
  suspendAgent,
  thawHost,
  type UpstreamFailure,
  withdrawDecision,
} from '@countersign/engine';
import type { TestHost, TestHostOptions } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const NOW = { waitMs: 0, signal: new AbortController().signal };
const failing = (on: TestHost, error: UpstreamFailure) => on.upstreams.behave(() => ({ ok: false, error }));
const LOST: UpstreamFailure = { sent: true, code: 'upstream.timeout', message: 'No reply.' };
const DOWN: UpstreamFailure = { sent: false, code: 'upstream.down', message: 'Not connected.' };

/** A call that went out once, whose end nobody knows, and that ada ordered to be sent again. */
async function orderedAgain(options: TestHostOptions = {}) {
  const on = await host({ rules: [{ ...EAT, expires: '1h' }], ...options });
  failing(on, LOST);
  const held = await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
  if (held.kind !== 'held') throw new Error(`Not held: ${held.kind}`);
  const [{ id }] = held.decisions as [{ id: string }];
  expect(await on.answer('ada', id, {})).toMatchObject({ ok: true });
  await on.work();
  const [outcome] = await on.decisions('ada', 'pending');
  expect(outcome).toMatchObject({ kind: 'outcome', call: { state: 'unknown' } });
  expect(await on.answer('ada', outcome!.id, {})).toMatchObject({ ok: true });
  const end = async () => await awaitDecision(on.deps, await on.caller('researcher'), id, NOW);
  return { on, id, call: held.call, end };
}

describe('a call that may have run', () => {
  it.each<[string, (on: TestHost, call: string) => unknown]>([
    ['a rule refuses it by now', (on) => on.setRules([{ ...EAT, effect: 'refuse' }])],
    ['its tool is withdrawn', (on) => on.upstreams.redefine('jar__cookie_jar', null)],
    ['its tool changed', (on) => on.upstreams.redefine('jar__cookie_jar', { description: 'another' })],
    ['its arguments were tampered with', (on) => on.deps.store.db.execute(`update call set args = '{"action":"eat","amount":9}'`)],
    [
      'its run is cancelled',
      async (on) => {
        const { items } = { items: (await on.deps.store.db.execute('select id from run')) as unknown as { rows: { id: string }[] } };
        await cancelRun(on.deps, { operator: true }, items.rows[0]!.id, 'Enough.');
      },
    ],
    ['the order to send it again is too old', (on) => on.pass(8 * 86_400_000)],
    [
      'the upstream can’t be reached',
      async (on, call) => {
        failing(on, DOWN);
        for (let attempt = 0; attempt < 6; attempt += 1) await dispatchCall(on.deps, call);
      },
    ],
  ])('stays unknown when %s before it is sent again', async (_, change) => {
    const { on, call, end } = await orderedAgain();
    await change(on, call);
    await on.work();
    expect(await end()).toMatchObject({
      value: { kind: 'unknown', reason: expect.stringMatching(/not (be )?sent again.*[Nn]obody knows/) },
    });
    expect(on.upstreams.seen.length).toBeLessThan(8);
    expect(await on.events()).not.toContain('call.refused');
  });

  it('stays unknown when its agent is suspended before it is sent again', async () => {
    const { on, call } = await orderedAgain();
    expect(await suspendAgent(on.deps, { operator: true }, 'researcher')).toMatchObject({ ok: true });
    await dispatchCall(on.deps, call);
    expect(on.upstreams.seen).toHaveLength(1);
    expect((await on.decisions('ada'))[0]?.call?.state).toBe('unknown');
  });

  it('stays unknown when it is asked about anew and refused, and says meanwhile that it may have run', async () => {
    const { on, end } = await orderedAgain();
    expect(await setMandate(on.deps, await on.caller('ada'), { scopes: ['tools:call', 'decisions:write'], terms: [] }, 1)).toMatchObject({
      ok: true,
    });
    await on.work();
    expect(await end()).toMatchObject({ value: { kind: 'held', mayHaveRun: true } });
    const [fresh] = await on.decisions('ada', 'pending');
    expect(fresh).toMatchObject({ kind: 'call', call: { state: 'held' } });
    expect(await on.answer('ada', fresh!.id, { effect: 'refuse' })).toMatchObject({ ok: true });
    expect(await end()).toMatchObject({ value: { kind: 'unknown' } });
  });

  it('is not failed when a tool declared idempotent was sent once and could not be reached after that', async () => {
    const on = await host({ rules: [EAT], config: { tools: { jar__cookie_jar: { idempotent: true, redact: [] } } } });
    failing(on, LOST);
    const held = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    await on.answer('ada', held.id, {});
    await on.work();
    failing(on, DOWN);
    const { call } = (await on.decisions('ada'))[0]!;
    for (let attempt = 0; attempt < 6; attempt += 1) await dispatchCall(on.deps, call!.id);
    expect(await held.end).toMatchObject({ kind: 'unknown' });
    expect((await on.decisions('ada', 'pending'))[0]).toMatchObject({ kind: 'outcome' });
  });

  it('ends as upstream says when it is sent again, and that end is there to be fetched', async () => {
    const { on, call } = await orderedAgain();
    on.upstreams.behave(() => ({ ok: true, value: { kind: 'result', result: { content: [] } } }));
    await on.work();
    expect(on.upstreams.seen.map((seen) => seen.idempotencyKey)).toEqual([call, call]);
    expect(await on.call('researcher', 'jar__cookie_jar', { action: 'eat' })).toMatchObject({ kind: 'reply', call });
  });
});

describe('the question whether it is sent again', () => {
  const asked = async () => {
    const on = await host({ rules: [EAT] });
    failing(on, LOST);
    const held = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    await on.answer('ada', held.id, {});
    await on.work();
    await held.end;
    const [outcome] = await on.decisions('ada', 'pending');
    return { on, id: outcome!.id };
  };

  it('is not the agent’s to take back: a person is asked (C6)', async () => {
    const { on, id } = await asked();
    const taken = await withdrawDecision(on.deps, await on.caller('researcher'), id, 'Nothing to see here.');
    expect(taken).toMatchObject({ ok: false, error: { code: 'decision.not_yours' } });
    expect((await on.decisions('ada', 'pending')).map((decision) => decision.id)).toEqual([id]);
  });

  it('answered with no, is no "no" to the call itself', async () => {
    const { on, id } = await asked();
    expect(await on.answer('ada', id, { effect: 'refuse', note: 'It arrived.' })).toMatchObject({ ok: true });
    expect(await on.call('researcher', 'jar__cookie_jar', { action: 'eat' })).toMatchObject({ kind: 'held' });
  });

  it('left unanswered, does not say that nothing was executed', async () => {
    const { on, id } = await asked();
    on.pass(8 * 86_400_000);
    await on.reconcile();
    const decision = (await on.decisions('ada')).find((one) => one.id === id);
    expect(decision).toMatchObject({ state: 'expired', settledReason: 'Nobody answered before the deadline; it was not sent again.' });
  });
});

describe('a call that waits to be sent', () => {
  const approved = async (on: TestHost) => {
    const held = await on.call('researcher', 'jar__cookie_jar', { action: 'eat' });
    if (held.kind !== 'held') throw new Error(`Not held: ${held.kind}`);
    expect(await on.answer('ada', held.decisions[0]!.id, {})).toMatchObject({ ok: true });
    return held.call;
  };

  it('waits for its server to come up after a restart, and is not refused for it (C1)', async () => {
    const on = await host({ rules: [{ ...EAT, expires: '1h' }] });
    const call = await approved(on);
    on.upstreams.redefine('jar__cookie_jar', null);
    const starting = {
      ...on.deps,
      upstreams: {
        ...on.upstreams,
        status: () => [{ server: 'jar', state: 'connecting', since: on.deps.now(), tools: 0, refused: [] }] as const,
      },
    };
    await dispatchCall(starting, call);
    expect((await on.decisions('ada'))[0]?.call?.state).toBe('queued');
    on.upstreams.redefine('jar__cookie_jar', {});
    await dispatchCall(on.deps, call);
    expect((await on.decisions('ada'))[0]?.call?.state).toBe('done');
  });

  it('waits for a server no longer than its approval is good for (A1)', async () => {
    const on = await host({ rules: [{ ...EAT, expires: '1h' }] });
    const call = await approved(on);
    on.upstreams.redefine('jar__cookie_jar', null);
    const starting = {
      ...on.deps,
      upstreams: {
        ...on.upstreams,
        status: () => [{ server: 'jar', state: 'down', since: on.deps.now(), tools: 0, refused: [] }] as const,
      },
    };
    on.pass(3_600_000);
    await dispatchCall(starting, call);
    expect(await on.decisions('ada')).toMatchObject([
      { call: { state: 'refused' }, outcome: { reason: expect.stringContaining('could not be sent before') } },
    ]);
  });

  it('is left alone by the reconciler until its next attempt is due', async () => {
    const on = await host({ rules: [EAT] });
    failing(on, DOWN);
    const call = await approved(on);
    await on.work();
    await on.reconcile();
    await on.relay();
    expect(on.jobs).not.toContainEqual(expect.objectContaining({ name: 'dispatch', id: call }));
    on.pass(1_000);
    await on.relay();
    expect(on.jobs).toContainEqual(expect.objectContaining({ name: 'dispatch', id: call }));
  });

  it('is not taken for lost by the process that awaits its reply, however long the machine slept', async () => {
    const on = await host({ rules: [EAT] });
    const call = await approved(on);
    let reply: () => void = () => undefined;
    let reached: () => void = () => undefined;
    const sent = new Promise<void>((resolve) => {
      reached = resolve;
    });
    on.upstreams.behave(() => {
      reached();
      return new Promise((resolve) => {
        reply = () => resolve({ ok: true, value: { kind: 'result', result: { content: [] } } });
      });
    });
    const dispatched = dispatchCall(on.deps, call);
    await sent;
    on.pass(3 * 3_600_000);
    await on.reconcile();
    reply();
    await dispatched;
    expect((await on.decisions('ada'))[0]).toMatchObject({ call: { state: 'done' } });
    expect(await on.decisions('ada', 'pending')).toEqual([]);
  });

  it('is found behind any number of calls that a freeze keeps queued', async () => {
    const on = await host({ rules: [EAT] });
    failing(on, LOST);
    const lost = await approved(on);
    await on.deps.store.db.execute(
      `update call set state = 'executing', attempt = 1, lease_owner = 'gone', lease_until = created_at where id = '${lost}'`,
    );
    await on.deps.store.db.execute(
      `insert into call select (json_populate_record(call, json_build_object('id', 'call_' || n, 'state', 'queued'))).* from call, generate_series(1, 300) as n where call.id = '${lost}'`,
    );
    await freezeHost(on.deps, { operator: true }, 'A look round.');
    await reconcile(
      on.deps,
      { enqueue: async () => undefined, work: async () => ({ close: async () => undefined }), close: async () => undefined },
      on.deps.now(),
    );
    expect(await on.decisions('ada', 'pending')).toMatchObject([{ kind: 'outcome', call: { id: lost, state: 'unknown' } }]);
    expect(await thawHost(on.deps, { operator: true })).toMatchObject({ ok: true });
  });
});
