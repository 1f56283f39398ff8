import { describe, expect, it } from 'vitest';
import { said } from './classify-words.ts';

describe('equality', () => {
  it.each<[string, unknown, unknown]>([
    ['args.x == "list"', { x: 'list' }, true],
    ['args.x == "list"', { x: ['list'] }, 'error'],
    ['args.x == "list"', { x: ' list' }, false],
    ['args.x == "list"', { x: 'LIST' }, false],
    ['args.x == "list"', { x: 100 }, 'error'],
    ['args.x == 100', { x: '1e2' }, 'error'],
    ['args.x == 100', { x: 1e2 }, true],
    ['args.x == "list"', { x: null }, 'error'],
    ['args.x == true', { x: 'true' }, 'error'],
    ['args.x == []', { x: [] }, true],
    ['args.x == {}', { x: {} }, true],
    ['args.x == {}', { x: [] }, 'error'],
    ['args.x == [1, [2.5, null], {"a": "b"}]', { x: [1, [2.5, null], { a: 'b' }] }, true],
    ['args.x == [1, 2]', { x: [1, 2, 3] }, false],
    ['args.x == [1, 2]', { x: [1, '2'] }, 'error'],
    ['args.x == {"a": 1}', { x: { a: 1, b: 2 } }, false],
    ['args.x == {"a": 1, "c": 2}', { x: { a: 1, b: 2 } }, false],
    ['args.x in ["a", "b"]', { x: 'b' }, true],
    ['args.x in ["a", "b"]', { x: 'B' }, false],
    ['args.x in ["a", "b"]', { x: ['a'] }, 'error'],
    ['args.x in ["a", "b"]', { x: null }, 'error'],
    ['args.x in args.l', { x: 'a', l: ['a', 1] }, true],
    ['args.x in args.l', { x: 'b', l: ['a', 1] }, 'error'],
    ['args.x in args.l', { x: 'b', l: [] }, false],
    ['args.x in args.m', { x: 5, m: { a: 1 } }, 'error'],
    ['args.x in {"a": 1}', { x: 'a' }, true],
    ['args.x in "text"', { x: 't' }, 'error'],
    ['type(args.x) == string', { x: 'a' }, true],
    ['type(args.x) == double', { x: 5 }, true],
    ['timestamp(args.x) == timestamp("2026-11-30T12:00:00+00:00")', { x: '2026-11-30T12:00:00Z' }, true],
    ['b"a" == b"a"', {}, true],
  ])('%s over %j is %s', (source, args, expected) => {
    expect(said(source, args)).toBe(expected);
    const opposite = source.replace(' == ', ' != ');
    if (opposite !== source) expect(said(opposite, args)).toBe(typeof expected === 'boolean' ? !expected : expected);
  });
});

describe('helpers, as rules call them', () => {
  it.each<[string, unknown, unknown]>([
    ['inside(args.path, "/home")', { path: '/home/a' }, true],
    ['inside(args.path, "/home")', { path: '/home/%252e' }, 'error'],
    ['inside(args.path, "/home")', { path: ['/home/a'] }, 'error'],
    ['host(args.url) == "example.org"', { url: 'https://Example.org/' }, true],
    ['host(args.url) != "evil.com"', { url: 'https://good.com\\@evil.com' }, 'error'],
    ['email_domain(args.to) == "example.org"', { to: 'ada@example.org' }, true],
    ['email_domain(args.to) != "evil.com"', { to: 'Ada <ada@evil.com>' }, 'error'],
    ['money(args.a) > 10', { a: '12.50' }, true],
    ['money(args.a) > 10', { a: 12.5 }, true],
    ['money(args.a) > 10', { a: '' }, 'error'],
    ['money(args.a) > 10', { a: '12,50' }, 'error'],
    ['money(args.a) > 10', { a: [12] }, 'error'],
    ['any_of(["prod", "live"], args.t)', { t: 'live' }, true],
    ['any_of(["prod", "live"], args.t)', { t: ['test', 'live'] }, true],
    ['any_of(["prod", "live"], args.t)', { t: ['test'] }, false],
    ['any_of(["prod", "live"], args.t)', { t: 5 }, 'error'],
    ['args.s.lowerAscii().contains("drop")', { s: 'DROP table' }, true],
    ['args.s.trim().split(",")[1] == "b"', { s: ' a,b ' }, true],
    ['args.s.matches("(?i)\\\\bdrop\\\\b")', { s: 'Drop it' }, true],
    ['args.s.matches("^a")', { s: 'ba' }, false],
    ['args.l.map(x, x + "!") == ["a!", "b!"]', { l: ['a', 'b'] }, true],
    ['size(args.l.filter(x, x.startsWith("a"))) == 1', { l: ['a', 'b'] }, true],
    ['args.l.exists_one(x, x == "a")', { l: ['a', 'b'] }, true],
  ])('%s over %j is %s', (source, args, expected) => {
    expect(said(source, args)).toBe(expected);
  });
});
