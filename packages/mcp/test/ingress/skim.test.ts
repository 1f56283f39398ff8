import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, membersOf } from '../../src/ingress/skim.ts';

const read = (text: string, spans: Iterable<{ start: number; end: number }> | undefined): string[] | undefined =>
  spans && [...spans].map(({ start, end }) => Buffer.from(text).subarray(start, end).toString());
const members = (text: string) => {
  const found = membersOf(Buffer.from(text));
  return found && Object.fromEntries([...found.keys()].map((key, i) => [key, read(text, found.values())?.[i]]));
};
const elements = (text: string) => read(text, elementsOf(Buffer.from(text)));

describe('membersOf', () => {
  it('finds each value, brackets and commas inside strings notwithstanding', () => {
    expect(members(' {"id" : 5 , "result":{"a":"},]\\"{","b":[1,{}]},"é":""} ')).toEqual({
      id: '5',
      result: '{"a":"},]\\"{","b":[1,{}]}',
      é: '""',
    });
  });

  it('does not judge the values', () => {
    expect(members('{"a":nonsense,"b":{"__proto__":1e999}}')).toEqual({ a: 'nonsense', b: '{"__proto__":1e999}' });
  });

  it.each(['', '[]', 'hello', '{', '{"a":1', '{"a":1}}', '{"a"}', '{a:1}', '{"a":[}', '{"a":1,}', '{"a":"b}', '"{}"'])(
    'yields nothing for %s',
    (text) => {
      expect(members(text)).toBeUndefined();
    },
  );
});

describe('elementsOf', () => {
  it('finds each element', () => {
    expect(elements('[ {"a":[1,2]}, "x,]" ,3,[]]')).toEqual(['{"a":[1,2]}', '"x,]"', '3', '[]']);
    expect(elements('[]')).toEqual([]);
    expect(elements('[ ]')).toEqual([]);
  });

  it.each(['{}', '[', '[[]', '["a]'])('yields nothing for %s', (text) => {
    expect(elements(text)).toBeUndefined();
  });
});

describe('both', () => {
  it('agree with JSON.parse on every valid text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.array(fc.jsonValue({ maxDepth: 3 })), (object, array) => {
        for (const indent of [undefined, 1]) {
          const text = JSON.stringify(object, null, indent);
          const buffer = Buffer.from(text);
          const found = [...(membersOf(buffer) ?? [])].map(([key, { start, end }]) => [
            key,
            JSON.parse(buffer.toString('utf8', start, end)),
          ]);
          expect(new Map(found as [string, unknown][])).toEqual(new Map(Object.entries(JSON.parse(text))));
          const list = JSON.stringify(array, null, indent);
          expect(elements(list)?.map((item) => JSON.parse(item))).toEqual(JSON.parse(list));
        }
      }),
    );
  });

  it('never throw, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect([membersOf(buffer), elementsOf(buffer)]).toHaveLength(2);
      }),
      { numRuns: 3000 },
    );
  });
});
