import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConsultCommand, type ConsultState, decideConsult } from '../src/consult.ts';

const NOW = '2026-11-30T12:00:00.000Z';
const LATER = '2026-11-30T16:00:00.000Z';
const at = (now: string, counted = now) => ({ now, counted });
const common = { version: 3, expiresAt: LATER, claims: 1 };

const states: Record<string, ConsultState> = {
  open: { ...common, state: 'open' },
  claimed: { ...common, state: 'claimed', claim: { holder: 'crd_1', until: '2026-11-30T12:05:00.000Z' } },
  answered: { ...common, state: 'answered', settledAt: NOW },
  withdrawn: { ...common, state: 'withdrawn', by: 'editor', reason: 'no longer needed', settledAt: NOW },
  expired: { ...common, state: 'expired', settledAt: LATER },
};
const commands: Record<string, ConsultCommand> = {
  claim: { type: 'claim', holder: 'crd_2', until: '2026-11-30T12:05:00.000Z', isQuiet: true },
  release: { type: 'release', holder: 'crd_1' },
  answer: { type: 'answer', holder: 'crd_1' },
  withdraw: { type: 'withdraw', by: 'editor', reason: 'no longer needed' },
  expire: { type: 'expire' },
};

describe('a consult', () => {
  it.each([
    ['open', 'claim', NOW, 'claimed', 'consult.claimed'],
    ['open', 'withdraw', NOW, 'withdrawn', 'consult.withdrawn'],
    ['open', 'expire', LATER, 'expired', 'consult.expired'],
    ['claimed', 'claim', '2026-11-30T12:05:00.000Z', 'claimed', 'consult.claimed'],
    ['claimed', 'release', NOW, 'open', 'consult.released'],
    ['claimed', 'answer', NOW, 'answered', 'consult.answered'],
    ['claimed', 'withdraw', NOW, 'withdrawn', 'consult.withdrawn'],
    ['claimed', 'expire', LATER, 'expired', 'consult.expired'],
  ])('%s × %s at %s becomes %s with one event and the next version (Q2, Q6)', (state, command, now, next, event) => {
    expect(decideConsult(states[state]!, commands[command]!, at(now))).toMatchObject({
      ok: true,
      value: { from: 3, event, next: { state: next, version: 4 } },
    });
  });

  it.each([
    ['open', 'release', NOW, 'consult.not_claimed'],
    ['open', 'answer', NOW, 'consult.not_claimed'],
    ['open', 'claim', LATER, 'consult.expired'],
    ['open', 'expire', NOW, 'input.invalid'],
    ['claimed', 'claim', NOW, 'conflict'],
    ['claimed', 'answer', LATER, 'consult.expired'],
    ['answered', 'answer', NOW, 'consult.already_answered'],
    ['answered', 'withdraw', NOW, 'consult.already_answered'],
    ['withdrawn', 'answer', NOW, 'consult.withdrawn'],
    ['expired', 'answer', NOW, 'consult.expired'],
  ])('%s × %s at %s is turned down as %s (Q1, Q4, Q5)', (state, command, now, code) => {
    expect(decideConsult(states[state]!, commands[command]!, at(now))).toMatchObject({ ok: false, error: { code } });
  });

  it('is not taken from a silent holder while something of its run is under way (Q3)', () => {
    const claim = { ...commands.claim, isQuiet: false } as ConsultCommand;
    expect(decideConsult(states.claimed!, claim, at('2026-11-30T13:00:00.000Z'))).toMatchObject({ ok: false, error: { code: 'conflict' } });
  });

  it('is answered by the holder of the claim and by nobody else (Q4)', () => {
    const other = { type: 'answer', holder: 'crd_2' } as const;
    expect(decideConsult(states.claimed!, other, at(NOW))).toMatchObject({ ok: false, error: { code: 'consult.not_claimed' } });
  });

  it('does not expire while the host is frozen, since deadlines stop then', () => {
    expect(decideConsult(states.open!, commands.expire!, at(LATER, NOW)).ok).toBe(false);
    expect(decideConsult(states.claimed!, commands.answer!, at(LATER, NOW)).ok).toBe(true);
  });

  it('stays as it is once it is settled, whatever comes (Q1)', () => {
    const settled = fc.constantFrom(states.answered!, states.withdrawn!, states.expired!);
    fc.assert(
      fc.property(settled, fc.constantFrom(...Object.values(commands)), fc.constantFrom(NOW, LATER), (state, command, now) => {
        expect(decideConsult(state, command, at(now)).ok).toBe(false);
      }),
    );
  });
});
