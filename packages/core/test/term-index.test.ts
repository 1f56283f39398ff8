import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCel } from '../src/cel.ts';
import { covers } from '../src/mandate.ts';
import { candidatesAmong } from '../src/term-index.ts';
import { aCall, aMandate } from './classify-words.ts';

const pinsIn = (match: string) => {
  const compiled = compileCel(match, { kind: 'predicate' });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value.pins;
};

describe('the pins of an expression', () => {
  it.each([
    ['args.a == 1', [{ key: 'a', value: 1 }]],
    [
      'args["a b"] == "x" && 2.5 == args.c && args.d == null && true',
      [
        { key: 'a b', value: 'x' },
        { key: 'c', value: 2.5 },
        { key: 'd', value: null },
      ],
    ],
    ['args.a == 1 || args.b == 2', []],
    ['!(args.a == 1)', []],
    ['args.a != 1 && args.b > 2 && has(args.c)', []],
    ['args.a == 1 ? true : args.b == 2', []],
    ['args.a.b == 1 && call.tool == "x" && args.a == args.b', []],
    ['args.a == [1] && size(args) == 2', []],
    ['(args.a == 1 || args.b == 1) && args.c == true', [{ key: 'c', value: true }]],
  ])('%s: %j', (match, pins) => {
    expect(pinsIn(match)).toEqual(pins);
  });
});

describe('the terms that can cover a call', () => {
  const VALUES = ['eat', 'count', '5', 5, -0, 0, 2.5, 9007199254740992, true, null];
  const literal = fc.constantFrom('"eat"', '"count"', '"5"', '5', '5u', '0', '-5', '2.5', '9007199254740993', 'true', 'null');
  const field = fc.constantFrom('args.a', 'args["b"]', 'args.c');
  const atom = fc.oneof(
    fc.tuple(field, literal).map(([left, right]) => `${left} == ${right}`),
    fc.tuple(field, literal).map(([left, right]) => `${right} == ${left}`),
    field.map((left) => `has(${left.replace('["b"]', '.b')})`),
    fc.constantFrom('size(args) == 2', 'true'),
  );
  const match = fc.oneof(
    fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join(' && ')),
    fc.array(atom, { minLength: 2, maxLength: 3 }).map((atoms) => atoms.join(' || ')),
    fc.tuple(atom, atom, atom).map(([a, b, c]) => `(${a} || ${b}) && ${c}`),
  );
  const args = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.oneof(fc.constantFrom(...VALUES), fc.constant([1]), fc.constant({ x: 1 })),
  );

  it('are never left out, and come in their order', () => {
    fc.assert(
      fc.property(fc.array(match, { minLength: 20, maxLength: 60 }), args, (matches, given) => {
        const mandate = aMandate(
          'ada',
          matches.map((source) => ({ match: source })),
        );
        const naming = mandate.for('jar__cookie_jar');
        const found = candidatesAmong(naming)(given).map((term) => term.index);
        expect(found).toEqual([...found].sort((a, b) => a - b));
        const first = naming.find(
          (term) => covers(aMandate('ada', [{ match: matches[term.index] ?? '' }]), aCall({ args: given })).covered,
        );
        expect(covers(mandate, aCall({ args: given }))).toMatchObject(
          first === undefined ? { covered: false } : { covered: true, term: first.index },
        );
      }),
      { numRuns: 60 },
    );
  });

  it('are few among a thousand that pin other values', () => {
    const pinned = Array.from({ length: 1000 }, (_, n) => ({ match: `size(args) == 2 && args.action == "eat" && args.n == ${n}` }));
    const naming = aMandate('ada', [...pinned, { match: 'args.n > 5000' }]).for('jar__cookie_jar');
    expect(candidatesAmong(naming)({ action: 'eat', n: 7 }).map((term) => term.index)).toEqual([7, 1000]);
    expect(candidatesAmong(naming)({ action: 'eat' }).map((term) => term.index)).toEqual([1000]);
  });
});
