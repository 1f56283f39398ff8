import type { MandateTerms, Scope, Term } from '@countersign/contracts';
import { classify, compileMandate, compileRules } from '@countersign/core';
import { digestOf, enterRun } from '@countersign/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consults, fourPrincipals, putMandate } from './chain-words.ts';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();

describe('delegating', () => {
  const SEND = 'ledger__send_money';
  const scopes = fc.subarray(['tools:call'] as Scope[]).map((some): Scope[] => ['directory:read', 'consult', ...some]);
  const term: fc.Arbitrary<Term> = fc
    .record({
      tool: fc.constantFrom(SEND, 'ledger__*', '*', 'jar__*'),
      match: fc.constantFrom(undefined, 'args.amount <= 2', 'args.amount >= 2', 'args.to == "x"', 'args.missing == 1'),
    })
    .map(({ tool, match }) => ({ tool, when: match ?? 'anything', ...(match !== undefined && { match }) }));
  const mandate = fc.record({
    scopes: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Scope[]>(['directory:read', 'consult', 'tools:call']) },
      { weight: 1, arbitrary: scopes },
    ),
    terms: fc.array(term, { maxLength: 3 }),
  });
  const ALL = { scopes: ['directory:read', 'consult', 'tools:call'] as Scope[], terms: [{ tool: '*', when: 'anything' }] };
  const args = fc.record({ amount: fc.integer({ min: 1, max: 3 }), to: fc.constantFrom('x', 'y') });

  const noRules = compileRules([], { digest: digestOf });
  /** Whether one mandate alone allows the call. */
  function allows(principal: string, terms: MandateTerms, given: object): boolean {
    const compiled = compileMandate(principal, 1, terms);
    if (!compiled.ok || !noRules.ok) throw new Error('It does not compile.');
    const verdict = classify(
      {
        tool: SEND,
        server: 'ledger',
        name: 'send_money',
        args: given,
        agent: { name: principal, principal, status: 'member' },
        chain: [],
        task: '',
        now: '2026-11-30T12:00:00.000Z',
      },
      { rules: noRules.value, mandates: [compiled.value], tool: { state: 'accepted' }, frozen: null, earlierNo: [] },
    );
    return verdict.effect === 'allow' && terms.scopes.includes('tools:call');
  }

  it('never widens: a call that runs in a chain is one that every mandate of it allows by itself, whatever changed a moment ago (B3)', async () => {
    const on = await host(fourPrincipals());
    const { chain, call } = consults(on);
    const [, clerk] = await chain('editor', 'treasurer', 'clerk');
    const leaf = clerk!;
    let serial = 0;
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(mandate, mandate, mandate, args, fc.boolean(), async (ada, ben, cy, given, isOldCaller) => {
        const mandates = { ada, ben, cy };
        for (const [principal, terms] of Object.entries(mandates)) await putMandate(on, principal, terms);
        const fresh = await enterRun(on.deps, await on.caller('clerk'), leaf.question.runToken);
        const caller = isOldCaller || !fresh.ok ? leaf.caller : fresh.value;
        const end = await call(caller, SEND, { ...given, serial: serial++ });
        const isAllowed = Object.entries(mandates).every(([principal, terms]) => allows(principal, terms, given));
        if (end.kind === 'reply') ran += 1;
        expect([end.kind === 'reply', JSON.stringify(mandates)]).toEqual([isAllowed, JSON.stringify(mandates)]);
      }),
      { numRuns: 60, examples: [[ALL, ALL, ALL, { amount: 1, to: 'x' }, true]] },
    );
    expect(ran).toBeGreaterThan(0);
    expect(on.upstreams.seen).toHaveLength(ran);
  });
});
