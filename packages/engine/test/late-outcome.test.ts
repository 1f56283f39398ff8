import { describe, expect, it } from 'vitest';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();

describe('the outcome of a call that the store would not take', () => {
  it('is recorded as soon as it can be, so that no call stays running in the log after it ended (G4)', async () => {
    const on = await host();
    on.upstreams.behave(async ({ args }) => {
      await on.deps.store.db.execute('alter table audit_pending rename to audit_gone');
      return { ok: true, value: { kind: 'result', result: { content: [], structuredContent: args } } };
    });
    expect(await on.call('researcher', 'jar__cookie_jar', { action: 'count' })).toMatchObject({ kind: 'unknown' });
    await on.reconcile();
    await on.deps.store.db.execute('alter table audit_gone rename to audit_pending');
    expect((await on.events()).at(-1)).toBe('call.admitted');
    await on.reconcile();
    await on.reconcile();
    expect((await on.events()).filter((type) => type.startsWith('call.'))).toEqual(['call.admitted', 'call.completed']);
  });
});
