import { type Hop, Scope } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayAsk, scopesInChain, withinDeadline } from '../src/chain.ts';

const chainOf = (...agents: readonly string[]): readonly Hop[] =>
  agents.map((agent) => ({ run: `run_${agent}`, agent, principal: 'ada', question: null }));
const LIMITS = { depth: 4, fanOut: 2 };

describe('mayAsk', () => {
  it.each([
    [['editor'], 'researcher', 0, null],
    [['editor', 'researcher', 'treasurer'], 'clerk', 1, null],
    [['editor'], 'editor', 0, 'consult.asks_itself'],
    [['editor', 'researcher'], 'researcher', 0, 'consult.asks_itself'],
    [['editor', 'researcher'], 'editor', 0, 'consult.cycle'],
    [['editor', 'researcher', 'treasurer'], 'researcher', 0, 'consult.cycle'],
    [['editor', 'researcher', 'treasurer', 'clerk'], 'auditor', 0, 'consult.too_deep'],
    [['editor'], 'researcher', 2, 'limit.reached'],
  ])('lets %j ask %s with %i open: %s (H1)', (agents, asked, open, code) => {
    const allowed = mayAsk(chainOf(...agents), asked, open, LIMITS);
    expect(allowed.ok ? null : allowed.error.code).toBe(code);
  });
});

describe('scopesInChain', () => {
  it('leaves no scope that the caller or any hop above it lacks (H2, B3)', () => {
    const scopes = fc.subarray([...Scope.options]);
    const hop = fc.record({ scopes, credentialScopes: fc.option(scopes, { nil: null }) });
    fc.assert(
      fc.property(scopes, fc.array(hop, { maxLength: 4 }), (own, above) => {
        const left = scopesInChain(own, above);
        const bounds = [own, ...above.flatMap((one) => (one.credentialScopes ? [one.scopes, one.credentialScopes] : [one.scopes]))];
        expect([...left]).toEqual(Scope.options.filter((scope) => bounds.every((bound) => bound.includes(scope))));
      }),
    );
  });
});

describe('withinDeadline', () => {
  it('is the earlier of two deadlines (H3)', () => {
    expect(withinDeadline('2026-11-30T12:00:00.000Z', null)).toBe('2026-11-30T12:00:00.000Z');
    expect(withinDeadline('2026-11-30T12:00:00.000Z', '2026-11-30T11:59:59.999Z')).toBe('2026-11-30T11:59:59.999Z');
    expect(withinDeadline('2026-11-30T12:00:00.000Z', '2026-12-01T00:00:00.000Z')).toBe('2026-11-30T12:00:00.000Z');
  });
});
