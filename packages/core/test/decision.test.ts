import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedCommands, type DecisionCommand, type DecisionState, decide, type Question } from '../src/decision.ts';

const DIGEST = `sha256:${'a'.repeat(64)}` as const;
const NOW = '2026-11-30T12:00:00.000Z';
const LATER = '2026-11-30T16:00:00.000Z';
const at = (now: string) => ({ now, counted: now });

const question: Question = { answerBy: ['ada', 'ben'], needs: 1, shownDigest: DIGEST, irreversible: false };
const pending: DecisionState = { state: 'pending', version: 1, expiresAt: LATER, approvals: [] };
const settled: Record<string, DecisionState> = {
  approved: { state: 'approved', version: 2, expiresAt: LATER, approvals: [{ principal: 'ada', at: NOW }], settledAt: NOW },
  refused: { state: 'refused', version: 2, expiresAt: LATER, by: 'ada', settledAt: NOW },
  expired: { state: 'expired', version: 2, expiresAt: LATER, settledAt: LATER },
  withdrawn: { state: 'withdrawn', version: 2, expiresAt: LATER, by: 'researcher', reason: 'no longer needed', settledAt: NOW },
};
const answer = (changes: Partial<Extract<DecisionCommand, { type: 'answer' }>> = {}): DecisionCommand => ({
  type: 'answer',
  principal: 'ada',
  effect: 'approve',
  note: null,
  version: 1,
  shownDigest: DIGEST,
  ...changes,
});
const commands: Record<string, DecisionCommand> = {
  approve: answer(),
  refuse: answer({ effect: 'refuse' }),
  extend: { type: 'extend', principal: 'ada', version: 1, expiresAt: '2026-12-01T00:00:00.000Z' },
  expire: { type: 'expire' },
  withdraw: { type: 'withdraw', by: 'researcher', reason: 'changed my mind' },
};

describe('the decision machine', () => {
  describe.each([
    ['pending', 'approve', NOW, 'decision.approved'],
    ['pending', 'refuse', NOW, 'decision.refused'],
    ['pending', 'extend', NOW, 'decision.extended'],
    ['pending', 'expire', LATER, 'decision.expired'],
    ['pending', 'withdraw', NOW, 'decision.withdrawn'],
    ['pending', 'withdraw', LATER, 'decision.withdrawn'],
  ])('%s × %s', (_, name, now, event) => {
    it(`records ${event} and raises the version by one (D6)`, () => {
      const decided = decide(question, pending, commands[name]!, at(now));
      expect(decided).toMatchObject({ ok: true, value: { from: 1, event, next: { version: 2 } } });
    });
  });

  it.each([
    ['approve', LATER, 'decision.expired'],
    ['refuse', LATER, 'decision.expired'],
    ['extend', LATER, 'decision.expired'],
    ['expire', NOW, 'input.invalid'],
  ])('pending × %s at %s is turned down as %s (C3)', (name, now, code) => {
    expect(decide(question, pending, commands[name]!, at(now))).toMatchObject({ ok: false, error: { code } });
  });

  it.each(Object.keys(settled).flatMap((state) => Object.keys(commands).map((command) => [state, command] as const)))(
    '%s absorbs %s: it is final (D1)',
    (state, command) => {
      const decided = decide(question, settled[state]!, commands[command]!, at(NOW));
      const code = state === 'expired' ? 'decision.expired' : state === 'withdrawn' ? 'decision.withdrawn' : 'decision.already_answered';
      expect(decided).toMatchObject({ ok: false, error: { code, detail: { state } } });
    },
  );

  it('tells the loser who was first, and when (C2)', () => {
    expect(decide(question, settled.refused!, answer({ principal: 'ben' }), at(NOW))).toMatchObject({
      error: { message: `Already refused by ada at ${NOW}.`, detail: { by: ['ada'], at: NOW } },
    });
  });

  it('takes answers only of the principals that it names (D4, E1)', () => {
    for (const principal of ['cleo', 'researcher', 'Ada', ' ada', '']) {
      expect(decide(question, pending, answer({ principal }), at(NOW))).toMatchObject({ ok: false, error: { code: 'decision.not_yours' } });
    }
  });

  it('refuses an answer to another version or another digest than it is at (D7, A6)', () => {
    expect(decide(question, pending, answer({ version: 2 }), at(NOW))).toMatchObject({ error: { code: 'decision.stale' } });
    expect(decide(question, pending, answer({ shownDigest: `sha256:${'b'.repeat(64)}` }), at(NOW))).toMatchObject({
      error: { code: 'decision.digest_mismatch' },
    });
  });

  it('waits for as many different principals as it needs', () => {
    const two = { ...question, needs: 2 };
    const first = decide(two, pending, answer(), at(NOW));
    expect(first).toMatchObject({ value: { event: 'decision.approval_recorded', next: { state: 'pending', version: 2 } } });
    const waiting = first.ok ? first.value.next : pending;
    expect(decide(two, waiting, answer({ version: 2 }), at(NOW))).toMatchObject({ error: { code: 'decision.already_answered' } });
    expect(decide(two, waiting, answer({ version: 2, principal: 'ben' }), at(NOW))).toMatchObject({
      value: { event: 'decision.approved' },
    });
    expect(decide(two, waiting, answer({ version: 2, principal: 'ben', effect: 'refuse' }), at(NOW))).toMatchObject({
      value: { event: 'decision.refused' },
    });
  });

  it('wants a typed note for what cannot be undone (D8)', () => {
    const irreversible = { ...question, irreversible: true };
    expect(decide(irreversible, pending, answer({ note: '  ' }), at(NOW))).toMatchObject({ error: { code: 'decision.note_required' } });
    expect(decide(irreversible, pending, answer({ note: 'The jar is empty.' }), at(NOW))).toMatchObject({ ok: true });
    expect(decide(irreversible, pending, answer({ effect: 'refuse' }), at(NOW))).toMatchObject({ ok: true });
  });

  it('stops the clock while the host is frozen', () => {
    expect(decide(question, pending, answer(), { now: LATER, counted: NOW })).toMatchObject({
      ok: true,
      value: { next: { settledAt: LATER } },
    });
    expect(decide(question, pending, { type: 'expire' }, { now: LATER, counted: NOW })).toMatchObject({ ok: false });
  });

  it('offers exactly what it would accept', () => {
    expect(allowedCommands(question, pending, 'ada', at(NOW))).toEqual(['approve', 'refuse', 'extend']);
    expect(allowedCommands(question, pending, 'cleo', at(NOW))).toEqual([]);
    expect(allowedCommands(question, pending, 'ada', at(LATER))).toEqual([]);
    expect(allowedCommands(question, settled.approved!, 'ada', at(NOW))).toEqual([]);
  });

  const anyCommand = fc.oneof(
    fc.record({
      type: fc.constant('answer' as const),
      principal: fc.constantFrom('ada', 'ben', 'cleo'),
      effect: fc.constantFrom('approve' as const, 'refuse' as const),
      note: fc.constantFrom(null, 'a note'),
      version: fc.integer({ min: 1, max: 6 }),
      shownDigest: fc.constantFrom(DIGEST, `sha256:${'b'.repeat(64)}` as const),
    }),
    fc.constant({ type: 'expire' as const }),
    fc.record({ type: fc.constant('withdraw' as const), by: fc.constant('researcher'), reason: fc.constant('x') }),
    fc.record({
      type: fc.constant('extend' as const),
      principal: fc.constantFrom('ada', 'cleo'),
      version: fc.integer({ min: 1, max: 6 }),
      expiresAt: fc.constantFrom(LATER, '2026-12-02T00:00:00.000Z'),
    }),
  );

  it('settles at most once, raises the version by one each time, and never leaves a final state, whatever comes (D1, D2)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyCommand, fc.constantFrom(NOW, LATER)), { maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        (steps, needs) => {
          let state: DecisionState = pending;
          let settlements = 0;
          for (const [command, now] of steps) {
            const decided = decide({ ...question, needs }, state, command, at(now));
            if (!decided.ok) continue;
            expect(state.state).toBe('pending');
            expect(decided.value.from).toBe(state.version);
            expect(decided.value.next.version).toBe(state.version + 1);
            if (decided.value.next.state !== 'pending') settlements += 1;
            if (command.type === 'answer') expect(now < state.expiresAt).toBe(true);
            state = decided.value.next;
          }
          expect(settlements).toBeLessThanOrEqual(1);
          if (state.state === 'approved') expect(new Set(state.approvals.map((approval) => approval.principal)).size).toBe(needs);
        },
      ),
    );
  });
});
