import { awaitDecision, freezeHost, setMandate, thawHost } from '@countersign/engine';
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
  ])('while it is held attaches to its decision and runs once, even where nobody would ask because %s (B7)', async (_, hold, release) => {
    const on = await host();
    await hold(on);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'held' });
    await release(on);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'held' });
    expect(on.upstreams.seen).toEqual([]);
    await approveAll(on);
    expect(await on.call('researcher', 'jar__cookie_jar', EATING)).toMatchObject({ kind: 'reply' });
    expect(on.upstreams.seen).toHaveLength(1);
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
