import type { Effect } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { narrowTerm } from '../src/mandate.ts';
import { classify, explain, type GateContext } from '../src/verdict.ts';
import { aCall, aGate, aMandate, aRule, aRuleSet } from './classify-words.ts';

const RANK: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, refuse: 2 };

const predicate = fc.constantFrom(
  undefined,
  'true',
  'false',
  'args.a == 1',
  'args.a > 1',
  'args.b == "x"',
  'args.b in ["x", "y"]',
  'has(args.c) && args.c',
  'has(args.a) ? args.a > 0 : false',
  'args.l.exists(x, x == "x")',
  'args.b.matches("^x+$") || args.a == 2',
  '!(args.b == "x") && size(args) > 1',
);
const value = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 2, 2.5, 'x', 'y', 'X', ''),
  fc.constantFrom<unknown>([], ['x'], {}, { x: 1 }),
);
const args = fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'l'), value, { maxKeys: 4 }), value);
const tool = fc.constantFrom('jar__cookie_jar', 'jar__*', '*', 'files__x');
const rules = fc
  .array(
    fc.record({ tool, match: predicate, effect: fc.constantFrom('ask', 'refuse'), mode: fc.constantFrom('enforce', 'enforce', 'shadow') }),
    { maxLength: 6 },
  )
  .map((list) => list.map((rule, place) => aRule({ ...rule, id: `r${place}` })));
const mandate = fc
  .array(fc.record({ tool, match: predicate }), { maxLength: 4 })
  .map((list) => list.map(({ match, ...term }) => (match === undefined ? term : { ...term, match })));
const around = fc.record({
  tool: fc.constantFrom<GateContext['tool']>({ state: 'accepted' }, { state: 'quarantined' }),
  frozen: fc.constantFrom(null, { by: 'ben', reason: 'r' }),
  earlierNo: fc.array(
    fc.record({
      digestEquals: fc.boolean(),
      note: fc.constantFrom(null, 'no'),
      at: fc.constant('2026-11-30T10:00:00.000Z'),
      asks: fc.nat(5),
    }),
    { maxLength: 2 },
  ),
});
const JSON_VALUE = fc.jsonValue({ maxDepth: 3 }).filter((json) => !JSON.stringify(json).includes('__proto__'));
const JSON_ARGS = fc.dictionary(
  fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__'),
  JSON_VALUE,
  { maxKeys: 5 },
);

describe('classify', () => {
  it('is never loosened by adding a rule (V4)', () => {
    fc.assert(
      fc.property(rules, rules, mandate, around, args, (some, more, terms, rest, given) => {
        const all = [...some, ...more.map((rule) => ({ ...rule, id: `more-${rule.id}` }))];
        const gate = (list: typeof some) => aGate({ ...rest, rules: aRuleSet(...list), mandates: [aMandate('ada', terms)] });
        const call = aCall({ args: given });
        expect(RANK[classify(call, gate(all)).effect]).toBeGreaterThanOrEqual(RANK[classify(call, gate(some)).effect]);
      }),
      { numRuns: 150 },
    );
  });

  it('has the same effect in any order of rules (V4, D3)', () => {
    fc.assert(
      fc.property(
        rules.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        mandate,
        args,
        ([list, other], terms, given) => {
          const gate = (order: typeof list) => aGate({ rules: aRuleSet(...order), mandates: [aMandate('ada', terms)] });
          const call = aCall({ args: given });
          expect(classify(call, gate(other)).effect).toBe(classify(call, gate(list)).effect);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is never widened by another mandate in the chain (V5, B3)', () => {
    fc.assert(
      fc.property(mandate, mandate, args, (own, ancestor, given) => {
        const chain = ['ben', 'ada'].map((principal) => ({ run: principal, agent: 'a', principal, question: null }));
        const alone = classify(aCall({ args: given }), aGate({ mandates: [aMandate('ada', own)] }));
        const both = classify(aCall({ args: given, chain }), aGate({ mandates: [aMandate('ada', own), aMandate('ben', ancestor)] }));
        expect(RANK[both.effect]).toBeGreaterThanOrEqual(RANK[alone.effect]);
        const ancestorAlone = classify(
          aCall({ args: given, agent: { name: 'b', principal: 'ben', status: 'member' }, chain: [] }),
          aGate({ mandates: [aMandate('ben', ancestor)] }),
        );
        expect(RANK[both.effect]).toBe(Math.max(RANK[alone.effect], RANK[ancestorAlone.effect]));
      }),
      { numRuns: 150 },
    );
  });

  it('says the same as explain, of every call, and never throws', () => {
    fc.assert(
      fc.property(rules, mandate, around, fc.anything(), (list, terms, rest, given) => {
        const gate = aGate({ ...rest, rules: aRuleSet(...list), mandates: [aMandate('ada', terms)] });
        const call = aCall({ args: given });
        const { effect, grounds } = classify(call, gate);
        expect(explain(call, gate)).toMatchObject({ effect, grounds });
        expect(grounds.some((ground) => ground.mode === 'enforce')).toBe(effect !== 'allow');
      }),
      { numRuns: 150 },
    );
  });
});

describe('narrowTerm', () => {
  const isCovered = (from: unknown, by: unknown): boolean => {
    const term = narrowTerm('jar__cookie_jar', from);
    fc.pre(term.ok);
    return classify(aCall({ args: by }), aGate({ mandates: [aMandate('ada', term.ok ? [term.value] : [])] })).effect === 'allow';
  };

  it('covers the call it was made from (M2, D7)', () => {
    fc.assert(
      fc.property(JSON_ARGS, (given) => {
        expect(isCovered(given, given)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('covers no call that differs in one argument (M2, D7)', () => {
    const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
    fc.assert(
      fc.property(JSON_ARGS, fc.string({ maxLength: 8 }), JSON_VALUE, fc.nat(4), (given, fresh, other, place) => {
        const key = Object.keys(given)[place] ?? fresh;
        fc.pre(key !== '__proto__' && !same(given[key], other));
        fc.pre(!(typeof other === 'object' && other !== null && typeof given[key] === 'object')); // key order alone is no difference
        expect(isCovered(given, { ...given, [key]: other })).toBe(false);
        const { [key]: _, ...without } = given;
        if (Object.hasOwn(given, key)) expect(isCovered(given, without)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
