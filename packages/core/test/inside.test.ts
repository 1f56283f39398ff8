import { describe, expect, it } from 'vitest';
import { inside } from '../src/inside.ts';

const answer = (path: string, dir: string): boolean | 'error' => {
  try {
    return inside(path, dir);
  } catch {
    return 'error';
  }
};

describe('inside(path, dir)', () => {
  it.each<[string, string, boolean | 'error', string]>([
    ['/work/a.txt', '/work', true, 'a file'],
    ['/work', '/work', true, 'the folder itself'],
    ['/work/', '/work', true, 'a trailing slash'],
    ['/work//a///b', '/work/', true, 'doubled slashes'],
    ['/work/./a/../b.txt', '/work', true, 'dots that stay inside'],
    ['/work/../etc/passwd', '/work', false, 'dots that leave'],
    ['/work/../../../work/a', '/work', true, 'more dots than folders: the root has no parent'],
    ['/workshop/a', '/work', false, 'a name that begins alike'],
    ['/Work/a', '/work', false, 'another case'],
    ['/', '/work', false, 'the root'],
    ['/etc', '/', true, 'everything is inside the root'],
    ['/a/b', '/a/x/../b', true, 'a folder with dots'],
    ['a.txt', '/work', false, 'a relative path'],
    ['./a/b.txt', '/work', false, 'a relative path with a dot'],
    ['src/a.ts', 'src', true, 'both relative'],
    ['src/../lib/a.ts', 'src', false, 'both relative, beside it'],
    ['/src/a.ts', 'src', false, 'absolute against relative'],
    ['../work/a', '/work', 'error', 'a relative path that climbs'],
    ['a/../../b', 'a', 'error', 'a relative path that climbs later'],
    ['/work/%61.txt', '/work', true, 'other escapes stay letters'],
    ['/work/%2e%2e/etc', '/work', 'error', 'encoded dots leave, undecoded ones do not'],
    ['/work/a%2fb', '/work', true, 'an encoded slash that stays inside'],
    ['/work%2f..%2fetc', '/work', false, 'encoded slashes lead outside, undecoded ones name another folder'],
    ['/work/%252e%252e/etc', '/work', 'error', 'encoded twice'],
    ['/work/%c0%ae%c0%ae/etc', '/work', 'error', 'overlong'],
    ['/work/a%00.txt', '/work', 'error', 'an encoded NUL'],
    ['/work/a\0.txt', '/work', 'error', 'a NUL'],
    ['/work\\..\\..\\etc', '/work', false, 'backslashes lead outside, as letters they name another folder'],
    ['/work\\..\\..\\etc', '/etc', 'error', 'the same, asked from the other side'],
    ['/work/x\\..\\..\\etc', '/work', 'error', 'backslashes that lead outside for those who split there'],
    ['/work/a\\b', '/work', true, 'a backslash that stays inside either way'],
    ['C:\\work\\a.txt', 'C:\\work', true, 'Windows'],
    ['c:/work/a.txt', 'C:\\work', true, 'Windows, other spelling of the drive'],
    ['C:\\work\\..\\Windows', 'C:\\work', false, 'Windows, outside'],
    ['D:\\work\\a', 'C:\\work', false, 'another drive'],
    ['~/work/a', '/work', 'error', 'a home folder'],
    ['file:///work/a', '/work', 'error', 'a URL'],
    ['', '/work', 'error', 'nothing'],
    ['/work/a', '', 'error', 'no folder'],
  ])('%j in %j is %s: %s', (path, dir, expected) => {
    expect(answer(path, dir)).toBe(expected);
  });
});
