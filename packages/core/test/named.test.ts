import { describe, expect, it } from 'vitest';
import { named } from '../src/named.ts';

const TASK = `Pay Northwind Ltd. 1,250.00 and $80, mail ada@example.org and joanna about Ben's trip (room #12), see https://x.org/plan.md. It's -5 in Oslo on 2026-11-30; 10% off.`;

describe('named(value)', () => {
  it.each<[string | number | bigint, boolean, string]>([
    ['Northwind', true, 'a word'],
    ['Northwind Ltd', true, 'two words before a full stop'],
    ['Northwind   Ltd.', true, 'white space does not count'],
    ['northwind', false, 'case counts'],
    ['North', false, 'a part of a word'],
    ['ann', false, 'inside a word'],
    ['joanna', true, 'the whole word'],
    ['Ben', true, 'a possessive'],
    ['It', true, 'a word before an apostrophe and s'],
    ['ada@example.org', true, 'an address'],
    ['example.org', false, 'a part of an address'],
    ['ada', false, 'the other part of it'],
    ['https://x.org/plan.md', true, 'a URL before a full stop'],
    ['https://x.org', false, 'the beginning of a URL'],
    ['plan.md', false, 'the end of a URL'],
    ['room #12', true, 'with a sign'],
    ['', false, 'nothing'],
    ['   ', false, 'blanks'],
    [1250, true, 'a number with grouping and decimals'],
    ['1250', true, 'the same as text'],
    ['1250.00', true, 'the same as text with decimals'],
    [1250n, true, 'a whole number'],
    [80, true, 'after a currency sign'],
    [1, false, 'a part of a number'],
    [250, false, 'the end of a grouped number'],
    [25, false, 'a part of it'],
    [12, false, 'behind a sign that makes it a name'],
    [-5, true, 'a negative number'],
    [5, false, 'its opposite'],
    [30, false, 'the day of a date'],
    [2026, false, 'the year of a date'],
    [10, true, 'before a per cent sign'],
    [Number.NaN, false, 'no number'],
  ])('%s is %s: %s', (value, expected) => {
    expect(named(value, TASK)).toBe(expected);
  });

  it('finds nothing in an empty task', () => {
    expect(named('a', '')).toBe(false);
    expect(named(0, '')).toBe(false);
  });

  it('does not take a domain for named when the words go on after it', () => {
    expect(named('example.org', 'see example.org.')).toBe(true);
    expect(named('example.org', 'see example.org.evil.net')).toBe(false);
    expect(named('example.org', 'see example.org/pay')).toBe(false);
    expect(named('/tmp/a', 'read /tmp/a')).toBe(true);
    expect(named('/tmp/a', 'read /tmp/a/b')).toBe(false);
  });

  it('treats composed and decomposed letters alike', () => {
    expect(named('Zoe\u0308', 'Ask Zo\u00eb.')).toBe(true);
    expect(named('Zoe', 'Ask Zoe\u0308.')).toBe(false);
  });
});
