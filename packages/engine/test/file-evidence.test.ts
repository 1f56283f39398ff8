import type { EvidenceInput } from '@countersign/contracts';
import { fileEvidence } from '@countersign/engine';
import { queryAudit } from '@countersign/store';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const FIXED: EvidenceInput = { claim: 'The jar is closed again.', source: 'commit', reference: 'acme/jar@3f2a9c1' };

const file = async (on: TestHost, agent: string, input: Partial<EvidenceInput> = {}) =>
  fileEvidence(on.deps, await on.caller(agent), { ...FIXED, ...input, origin: 'standing' });

describe('evidence', () => {
  it('stands on the decision that it is for, as its agent’s claim', async () => {
    const on = await host({ rules: [EAT] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    const [before] = await on.decisions('ada');
    const filed = await file(on, 'researcher', { decision: id });
    expect(filed).toMatchObject({ ok: true, value: { decision: id, source: 'commit' } });
    const [decision] = await on.decisions('ada');
    expect(decision?.evidence).toEqual([{ id: expect.stringMatching(/^evd_/), ...FIXED, at: '2026-11-30T12:00:00.000Z' }]);
    expect(decision?.shownDigest).toBe(before?.shownDigest);
  });

  it('is an event of its run, with what it points to', async () => {
    const on = await host();
    await file(on, 'newcomer', { source: 'manual', reference: undefined });
    const { items } = await queryAudit(on.deps.store.db, 'all', { limit: 1, order: 'newest' });
    expect(items).toMatchObject([
      {
        type: 'evidence.filed',
        principal: 'ada',
        agent: 'newcomer',
        run: expect.stringMatching(/^run_/),
        decision: null,
        payload: { claim: FIXED.claim, source: 'manual', reference: null },
      },
    ]);
  });

  it('is refused with the reason when the source is an artifact that it does not name', async () => {
    const on = await host();
    const end = await file(on, 'researcher', { reference: '  ' });
    expect(end).toMatchObject({
      error: { code: 'evidence.reference_missing', message: expect.stringContaining('without naming it is self-report') },
    });
    expect(await on.events()).not.toContain('evidence.filed');
  });

  it('is refused when the reference has not the form of its source, and says which form', async () => {
    const on = await host();
    const end = await file(on, 'researcher', { reference: 'the last one' });
    expect(end).toMatchObject({
      error: {
        code: 'input.invalid',
        detail: { issues: [{ path: ['reference'], message: expect.stringContaining('7 to 64 hex digits') }] },
      },
    });
  });

  it('can’t be put on another agent’s decision, which answers like none', async () => {
    const on = await host({ rules: [EAT] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    for (const decision of [id, 'dec_none']) {
      expect(await file(on, 'treasurer', { decision })).toEqual({
        ok: false,
        error: { code: 'not_found', message: `There is no decision ${decision}.` },
      });
    }
    expect((await on.decisions('ada'))[0]?.evidence).toEqual([]);
  });

  it('does not bury a decision', async () => {
    const on = await host({ rules: [EAT] });
    const { id } = await on.held('researcher', 'jar__cookie_jar', { action: 'eat' });
    for (let n = 0; n < 50; n += 1) await file(on, 'researcher', { decision: id, claim: `Piece ${n}` });
    expect(await file(on, 'researcher', { decision: id })).toMatchObject({ error: { code: 'limit.reached' } });
  });
});
