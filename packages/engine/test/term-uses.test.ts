import type { Term } from '@countersign/contracts';
import { dispatchCall, getMandate, setMandate } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const THRICE: Term = { tool: 'jar__*', when: 'three times', uses: 3 };
const SCOPES = ['directory:read', 'tools:call', 'decisions:write'] as const;

const usedOf = async (on: TestHost) => {
  const mandate = await getMandate(on.deps, await on.caller('ada'));
  return mandate.ok ? mandate.value.used : mandate.error;
};
const rewrite = async (on: TestHost, terms: readonly Term[], version: number) =>
  setMandate(on.deps, await on.caller('ada'), { scopes: [...SCOPES], terms: [...terms] }, version);

describe('a term of limited uses', () => {
  it('covers as many calls as it says, and the next one is asked', async () => {
    const on = await host({ terms: [THRICE] });
    const ends = [];
    for (const n of [1, 2, 3, 4]) ends.push(await on.call('researcher', 'jar__cookie_jar', { n }));
    expect(ends.map((end) => end.kind)).toEqual(['reply', 'reply', 'reply', 'held']);
    expect(ends[3]).toMatchObject({ decisions: [{ answerBy: ['ada'], reasons: [expect.stringContaining('“three times” is used up')] }] });
    expect(await usedOf(on)).toEqual([3]);
  });

  it('covers no more however many calls come at once', async () => {
    const on = await host({ terms: [THRICE] });
    const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => on.call('researcher', 'jar__cookie_jar', { n })));
    expect(ends.filter((end) => end.kind === 'reply')).toHaveLength(3);
    expect(ends.filter((end) => end.kind === 'held')).toHaveLength(17);
    expect(on.upstreams.seen).toHaveLength(3);
  });

  it('is left alone by a call that another term covers, or that a rule refuses', async () => {
    const on = await host({ terms: [THRICE, { tool: 'jar__cookie_jar', when: 'counting', match: 'args.action == "count"' }] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'count' });
    on.setRules([{ ...EAT, effect: 'refuse' }]);
    expect(await on.call('researcher', 'jar__cookie_jar', { action: 'eat' })).toMatchObject({ kind: 'refused' });
    expect(await usedOf(on)).toEqual([0, 0]);
  });

  it('counts a call that a rule asked about once, when it is sent, however often it is tried', async () => {
    const on = await host({
      terms: [{ ...THRICE, uses: 1 }],
      rules: [EAT],
      config: { tools: { jar__cookie_jar: { idempotent: true, redact: [] } } },
    });
    const held = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    expect(await usedOf(on)).toEqual([0]);
    on.upstreams.behave(() => ({ ok: false, error: { sent: false, code: 'upstream.down', message: 'Not connected.' } }));
    await on.answer('ada', held.id, {});
    await on.work();
    expect(await usedOf(on)).toEqual([1]);
    on.upstreams.behave(({ args }) => ({ ok: true, value: { kind: 'result', result: { ...args } } }));
    const [decision] = await on.decisions('ada');
    await dispatchCall(on.deps, decision?.call?.id ?? '');
    expect(await held.end).toMatchObject({ kind: 'reply' });
    expect(await usedOf(on)).toEqual([1]);
  });

  it('asks again when it was used up while an approved call waited', async () => {
    const on = await host({ terms: [{ ...THRICE, uses: 1 }], rules: [EAT] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    await on.answer('ada', id, {});
    await on.call('researcher', 'jar__cookie_jar', { action: 'count' });
    await on.work();
    expect(on.upstreams.seen).toHaveLength(1);
    expect(await on.decisions('ada', 'pending')).toMatchObject([
      { supersedes: id, grounds: expect.arrayContaining([expect.objectContaining({ kind: 'term' })]) },
    ]);
  });

  it('goes on counting in a new version that keeps it, and counts from nothing when it was gone or changed', async () => {
    const on = await host({ terms: [THRICE] });
    await on.call('researcher', 'jar__cookie_jar', {});
    expect(await rewrite(on, [{ tool: 'files__*', when: 'files' }, THRICE], 1)).toMatchObject({ value: { used: [0, 1] } });
    expect(await rewrite(on, [{ ...THRICE, uses: 2 }], 2)).toMatchObject({ value: { used: [0] } });
    expect(await rewrite(on, [THRICE], 3)).toMatchObject({ value: { used: [0] } });
  });

  it('lets nothing run whose use can’t be counted (G4)', async () => {
    const on = await host({ terms: [THRICE] });
    await on.call('researcher', 'jar__cookie_jar', {});
    await on.deps.store.db.execute('alter table term_use rename to term_use_gone');
    expect(await on.call('researcher', 'jar__cookie_jar', {})).toMatchObject({ kind: 'unavailable' });
    expect(on.upstreams.seen).toHaveLength(1);
    await on.deps.store.db.execute('alter table term_use_gone rename to term_use');
    expect(await on.call('researcher', 'jar__cookie_jar', {})).toMatchObject({ kind: 'reply' });
  });
});
