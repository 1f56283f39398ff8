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
    ['/home/a.txt', '/home', true, 'a file'],
    ['/home', '/home', true, 'the folder itself'],
    ['/home/', '/home', true, 'a trailing slash'],
    ['/home//a///b', '/home/', true, 'doubled slashes'],
    ['/home/./a/../b.txt', '/home', true, 'dots that stay inside'],
    ['/home/../etc/passwd', '/home', false, 'dots that leave'],
    ['/home/../../../home/a', '/home', true, 'more dots than folders: the root has no parent'],
    ['/workshop/a', '/home', false, 'a name that begins alike'],
    ['/Work/a', '/home', false, 'another case'],
    ['/', '/home', false, 'the root'],
    ['/etc', '/', true, 'everything is inside the root'],
    ['/a/b', '/a/x/../b', true, 'a folder with dots'],
    ['a.txt', '/home', false, 'a relative path'],
    ['./a/b.txt', '/home', false, 'a relative path with a dot'],
    ['src/a.ts', 'src', true, 'both relative'],
    ['src/../lib/a.ts', 'src', false, 'both relative, beside it'],
    ['/src/a.ts', 'src', false, 'absolute against relative'],
    ['../home/a', '/home', 'error', 'a relative path that climbs'],
    ['a/../../b', 'a', 'error', 'a relative path that climbs later'],
    ['/home/%61.txt', '/home', true, 'other escapes stay letters'],
    ['/home/%2e%2e/etc', '/home', 'error', 'encoded dots leave, undecoded ones do not'],
    ['/home/a%2fb', '/home', true, 'an encoded slash that stays inside'],
    ['/home%2f..%2fetc', '/home', false, 'encoded slashes lead outside, undecoded ones name another folder'],
    ['/home/%252e%252e/etc', '/home', 'error', 'encoded twice'],
    ['/home/%c0%ae%c0%ae/etc', '/home', 'error', 'overlong'],
    ['/home/a%00.txt', '/home', 'error', 'an encoded NUL'],
    ['/home/a\0.txt', '/home', 'error', 'a NUL'],
    ['/home\\..\\..\\etc', '/home', false, 'backslashes lead outside, as letters they name another folder'],
    ['/home\\..\\..\\etc', '/etc', 'error', 'the same, asked from the other side'],
    ['/home/x\\..\\..\\etc', '/home', 'error', 'backslashes that lead outside for those who split there'],
    ['/home/a\\b', '/home', true, 'a backslash that stays inside either way'],
    ['C:\\home\\a.txt', 'C:\\home', true, 'Windows'],
    ['c:/home/a.txt', 'C:\\home', true, 'Windows, other spelling of the drive'],
    ['C:\\home\\..\\Windows', 'C:\\home', false, 'Windows, outside'],
    ['D:\\work\\a', 'C:\\home', false, 'another drive'],
    ['~/home/a', '/home', 'error', 'a home folder'],
    ['file:///home/a', '/home', 'error', 'a URL'],
    ['', '/home', 'error', 'nothing'],
    ['/home/a', '', 'error', 'no folder'],
  ])('%j in %j is %s: %s', (path, dir, expected) => {
    expect(answer(path, dir)).toBe(expected);
  });
});
