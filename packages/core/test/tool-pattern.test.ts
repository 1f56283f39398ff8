import { describe, expect, it } from 'vitest';
import { indexByTool, isPatternWithin, matchesPattern } from '../src/tool-pattern.ts';

describe('a tool pattern', () => {
  it.each([
    ['files__read_file', 'files__read_file', true],
    ['files__read_file', 'files__read_files', false],
    ['files__read_file', 'FILES__read_file', false],
    ['files__*', 'files__read_file', true],
    ['files__*', 'files__', true],
    ['files__*', 'files2__read_file', false],
    ['*', 'anything__at_all', true],
    ['*__delete_*', 'files__delete_dir', true],
    ['*__delete_*', 'files__undelete', false],
    ['*_file', 'files__read_file', true],
    ['a*b*c', 'a__xbyybc', true],
    ['a*b*c', 'a__xbyyb', false],
    ['a.b', 'axb', false],
    ['**', 'x', true],
    ['x*', '', false],
  ])('%s names %s: %s', (pattern, tool, expected) => {
    expect(matchesPattern(pattern, tool)).toBe(expected);
  });

  it('takes no more steps than length times length on a pattern made to backtrack', () => {
    expect(matchesPattern(`${'*a'.repeat(59)}b`, 'a'.repeat(120))).toBe(false);
  });

  it.each([
    ['files__read_file', 'files__*', true],
    ['files__read_*', 'files__*', true],
    ['files__*', 'files__read_*', false],
    ['files__*', '*', true],
    ['*_file', 'files__*', false],
    ['files__*', 'files__*', true],
    ['a*z', 'a*y', false],
  ])('%s lies within %s: %s', (narrow, wide, expected) => {
    expect(isPatternWithin(narrow, wide)).toBe(expected);
  });
});

describe('an index by tool', () => {
  const items = [{ tool: 'a__*' }, { tool: 'a__x' }, { tool: 'b__x' }, { tool: '*' }, { tool: 'a__x' }].map((item, place) => ({
    ...item,
    place,
  }));

  it('finds exact names and patterns in their own order', () => {
    const find = indexByTool(items);
    expect(find('a__x').map(({ place }) => place)).toEqual([0, 1, 3, 4]);
    expect(find('c__x').map(({ place }) => place)).toEqual([3]);
  });

  it('answers a known key with the same list, so nothing is matched again', () => {
    const find = indexByTool(items);
    expect(find('a__x')).toBe(find('a__x'));
  });

  it('does not keep more keys than its bound', () => {
    const find = indexByTool(items);
    const first = find('a__x');
    for (let key = 0; key < 10_001; key++) find(`z__${key}`);
    expect(find('a__x')).not.toBe(first);
    expect(find('a__x')).toEqual(first);
  });
});
