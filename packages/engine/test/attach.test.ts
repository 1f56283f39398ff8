import { answerDecision, awaitDecision, freezeHost, setMandate, thawHost } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const EATING = { action: 'eat', amount: 3 };
const DAY_MS = 86_400_000;
const NOW = { waitMs: 0, signal: new AbortController().signal };

/** Answers whatever waits for ada with yes, and dispatches it. */
async function approveAll(on: TestHost): Promise<void> {
  for (const { id } of await on.decisions('ada', 'pending')) expect(await on.answer('ada', id, {})).toMatchObject({ ok: true });
  await on.work();
}

describe('a call that is made again', () => {
  it.each<[string, (on: TestHost) => Promise<unknown>, (on: TestHost) => Promise<unknown>]>([
    [
      'the mandate covers it by now',
      async (on) =>
        setMandate(on.deps, await on.caller('ada'), { scopes: ['tools:call'], terms: [{ tool: 'files__*', when: 'files alone' }] }, 1),
      async (on) => setMandate(on.deps, await on.caller('ada'), { scopes: ['tools:call'], terms: [{ tool: '*', when: 'anything' }] }, 2),
    ],
    ['the host is thawed', (on) => freezeHost(on.deps, { operator: true }, 'A look round.'), (on) => thawHost(on.deps, { operator: true })],
    ['the rule is gone', async (on) => on.setRules([EAT]), async (on) => on.setRules([])],
  ])('runs at once, and once, where nobody need be asked any more because %s: the question is withdrawn (B7)', async (_, hold, release) => {
    const on = await host();
    await hold(on);
    const held = await on.held('researcher', 'jar__cookie_jar', EATING);
    await release(on);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'reply' });
    expect(await held.end).toMatchObject({ kind: 'refused', code: 'withdrawn' });
    expect(await on.decisions('ada', 'pending')).toEqual([]);
    expect(await on.answer('ada', held.id, {})).toMatchObject({ ok: false, error: { code: 'decision.withdrawn' } });
    await on.work();
    expect(on.upstreams.seen).toHaveLength(1);
    expect((await on.events()).slice(-5)).toEqual([
      'call.refused',
      'decision.withdrawn',
      'call.admitted',
      'call.completed',
      'decision.answer_rejected',
    ]);
  });

  it('is either withdrawn by the repeat or approved by the person, never both, when both come at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const on = await host({ rules: [EAT] });
      await on.call('researcher', 'jar__cookie_jar', EATING);
      const [decision] = await on.decisions('ada', 'pending');
      const given = { version: decision!.version, shownDigest: decision!.shownDigest, effect: 'approve' } as const;
      const ada = await on.caller('ada');
      on.setRules([]);
      const answer = () => answerDecision(on.deps, ada, decision!.id, given);
      const repeat = () => on.call('researcher', 'jar__cookie_jar', EATING);
      const [first, second] = round % 2 === 0 ? [answer(), repeat()] : [repeat(), answer()];
      const [one, other] = await Promise.all([first, second]);
      const isApproved = 'ok' in one ? one.ok : 'ok' in other && other.ok;
      await on.work();
      const ran = on.upstreams.seen.map((seen) => seen.idempotencyKey);
      expect(ran.filter((key) => key === decision!.call!.id)).toHaveLength(isApproved ? 1 : 0);
      expect(ran).toHaveLength(1);
    }
  });

  it('gets a result that nobody fetched for a day, and is a new call after that', async () => {
    const on = await host({ rules: [EAT] });
    await on.call('researcher', 'jar__cookie_jar', EATING);
    await approveAll(on);
    on.pass(DAY_MS + 1);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'held' });
    await approveAll(on);
    expect(on.upstreams.seen).toHaveLength(2);
    on.pass(DAY_MS - 1);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'reply' });
    expect(on.upstreams.seen).toHaveLength(2);
  });

  it('is judged afresh once its result was fetched, by a principal that calls for itself as well (A5)', async () => {
    const on = await host({ rules: [EAT] });
    await on.call('ada', 'jar__cookie_jar', EATING);
    const [decision] = await on.decisions('ada', 'pending');
    await approveAll(on);
    expect(await awaitDecision(on.deps, await on.caller('ada'), decision!.id, NOW)).toMatchObject({ value: { kind: 'reply' } });
    expect(await on.call('ada', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'held' });
  });

  it('still gets its result after the agent’s principal had a look at it', async () => {
    const on = await host({ rules: [EAT] });
    await on.call('researcher', 'jar__cookie_jar', EATING);
    const [decision] = await on.decisions('ada', 'pending');
    await approveAll(on);
    expect(await awaitDecision(on.deps, await on.caller('ada'), decision!.id, NOW)).toMatchObject({ value: { kind: 'reply' } });
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'reply' });
    expect(on.upstreams.seen).toHaveLength(1);
  });

  it('gets nothing from a decision of before where another process took the tool away meanwhile', async () => {
    const on = await host({ rules: [EAT] });
    await on.call('researcher', 'jar__cookie_jar', EATING);
    await approveAll(on);
    // Another process narrows the mandate: this one has the old one in its cache and hears nothing.
    await on.deps.store.db.execute(
      `insert into mandate select principal, version + 1, '["directory:read"]'::jsonb, terms, budget, 'ada', created_at from mandate where principal = 'ada'`,
    );
    const cached = await on.caller('researcher');
    await on.deps.store.db.execute('update host set authority = authority + 1');
    expect(cached.scopes).toContain('tools:call');
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toEqual({ kind: 'hidden' });
  });
});
