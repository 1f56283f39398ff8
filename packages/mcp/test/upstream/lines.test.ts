import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/upstream/lines.ts';

function reading(maxBytes: number, drainBytes = 1000) {
  const seen: string[] = [];
  const feed = readLines({
    maxBytes,
    drainBytes,
    onLine: (line) => seen.push(line.toString()),
    onOverlong: (head, tail) => seen.push(`overlong ${head} … ${tail}`),
    onFlood: () => seen.push('flood'),
  });
  return { seen, feed: (text: string) => feed(Buffer.from(text)) };
}

describe('readLines', () => {
  it('yields lines without their ends, and no empty ones', () => {
    const { seen, feed } = reading(100);
    for (const chunk of ['a', 'b\nc\r\n', '\n\r\n', 'd']) feed(chunk);
    expect(seen).toEqual(['ab', 'c']);
    feed('\n');
    expect(seen).toEqual(['ab', 'c', 'd']);
  });

  it('drops an over-long line but for its ends, and reads on', () => {
    const { seen, feed } = reading(10);
    feed('0123456789\n');
    feed('head');
    feed('-'.repeat(600));
    feed('tail\nnext\n');
    expect(seen).toEqual(['0123456789', `overlong head${'-'.repeat(252)} … ${'-'.repeat(252)}tail`, 'next']);
  });

  it('reports a line that does not end once, and reads no more', () => {
    const { seen, feed } = reading(10, 50);
    feed('x'.repeat(60));
    feed('\nafter\n');
    expect(seen).toEqual(['flood']);
  });

  it('yields the same however the bytes are cut', () => {
    const text = fc.array(fc.string({ maxLength: 30 }), { maxLength: 8 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 12 }), (whole, cuts) => {
        const bytes = Buffer.from(`${whole}\n`);
        const inOne = reading(12);
        inOne.feed(bytes.toString());
        const seen: string[] = [];
        const feed = readLines({
          maxBytes: 12,
          drainBytes: 1000,
          onLine: (line) => seen.push(line.toString()),
          onOverlong: (head, tail) => seen.push(`overlong ${head} … ${tail}`),
          onFlood: () => seen.push('flood'),
        });
        let from = 0;
        for (const at of [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]) {
          feed(bytes.subarray(from, at));
          from = at;
        }
        expect(seen).toEqual(inOne.seen);
      }),
    );
  });
});
