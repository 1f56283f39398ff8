import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bounds, DEFAULT_BOUNDS, scanJson } from '../../src/ingress/scan.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const scan = (text: string, bounds?: Partial<Bounds>) => scanJson(bytesOf(text), bounds);
const parsed = (text: string, bounds?: Partial<Bounds>): unknown => {
  const scanned = scan(text, bounds);
  if (!scanned.ok) throw new Error(scanned.error.message);
  return scanned.value.value;
};
const codeOf = (bytes: Uint8Array, bounds?: Partial<Bounds>): string => {
  const scanned = scanJson(bytes, bounds);
  return scanned.ok ? 'accepted' : scanned.error.code;
};

describe('scanJson refuses and names the place', () => {
  it.each([
    // text, code, pointer, byte offset
    ['{"name":"a","name":"b"}', 'ingress.duplicate_key', '/name', 12],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', 'ingress.duplicate_key', '/a/b/1/c', 20],
    ['{"a":{"__proto__":1}}', 'ingress.forbidden_key', '/a/__proto__', 6],
    ['{"a":[{"\\u005f_proto__":1}]}', 'ingress.forbidden_key', '/a/0/__proto__', 7],
    ['{"constructor":{}}', 'ingress.forbidden_key', '/constructor', 1],
    ['{"x":{"y":{"prototype":null}}}', 'ingress.forbidden_key', '/x/y/prototype', 11],
    ['{"n":12345678901234567890}', 'ingress.unsafe_number', '/n', 5],
    ['{"n":[1,9007199254740992]}', 'ingress.unsafe_number', '/n/1', 8],
    ['{"n":-9007199254740992}', 'ingress.unsafe_number', '/n', 5],
    ['{"n":9007199254740993.0}', 'ingress.unsafe_number', '/n', 5],
    ['{"n":1e400}', 'ingress.unsafe_number', '/n', 5],
    ['{"n":-1E+400}', 'ingress.unsafe_number', '/n', 5],
    ['{"s":"\\ud800"}', 'ingress.bad_text', '/s', 6],
    ['{"s":"ab\\udc00"}', 'ingress.bad_text', '/s', 8],
    ['{"s":"\\ud83dx"}', 'ingress.bad_text', '/s', 6],
    ['{"s":"\\ud83d\\u0041"}', 'ingress.bad_text', '/s', 6],
    ['{"s":"a\\u0000"}', 'ingress.bad_text', '/s', 7],
    ['{"a\\u0000":1}', 'ingress.bad_text', '/(unreadable key)', 3],
    [' [{"jsonrpc":"2.0"}]', 'ingress.batch', '', 1],
    ['{"a":1} {"b":2}', 'ingress.not_json', '', 8],
    ['{"a":1}x', 'ingress.not_json', '', 7],
    ['{"a":1,}', 'ingress.not_json', '/a', 7],
    ['{"a":[1,]}', 'ingress.not_json', '/a/1', 8],
    ['{"a":01}', 'ingress.not_json', '/a', 5],
    ['{"a":+1}', 'ingress.not_json', '/a', 5],
    ['{"a":.5}', 'ingress.not_json', '/a', 5],
    ['{"a":1.}', 'ingress.not_json', '/a', 5],
    ['{"a":1e}', 'ingress.not_json', '/a', 5],
    ['{"a":NaN}', 'ingress.not_json', '/a', 5],
    ['{"a":nul}', 'ingress.not_json', '/a', 5],
    ['{"a" 1}', 'ingress.not_json', '/a', 5],
    ['{"a":1 "b":2}', 'ingress.not_json', '/a', 7],
    ["{'a':1}", 'ingress.not_json', '', 1],
    ['{"a":"\t"}', 'ingress.not_json', '/a', 6],
    ['{"a":"\\x41"}', 'ingress.not_json', '/a', 6],
    ['{"a":"\\u12g4"}', 'ingress.not_json', '/a', 6],
    ['{"a":[1}', 'ingress.not_json', '/a/0', 7],
    ['{"a":"b', 'ingress.not_json', '/a', 7],
    ['', 'ingress.not_json', '', 0],
    ['  ', 'ingress.not_json', '', 2],
  ])('%s as %s at %s, byte %i', (text, code, pointer, offset) => {
    const scanned = scan(text);
    expect(scanned).toMatchObject({ ok: false, error: { code, detail: { pointer, offset } } });
    expect(scanned.ok || scanned.error.message).toContain(`byte ${offset}`);
  });

  it.each([
    ['a byte-order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], 0],
    ['a stray continuation byte', [0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d], 2],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22], 1],
    ['a raw lone surrogate', [0x22, 0x61, 0xed, 0xa0, 0x80, 0x22], 2],
    ['a code point beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
    ['a character cut off', [0x22, 0xc3, 0xa9, 0xe2, 0x82, 0x22], 3],
  ])('%s as ingress.not_utf8', (_, bytes, offset) => {
    expect(scanJson(Uint8Array.from(bytes))).toMatchObject({ ok: false, error: { code: 'ingress.not_utf8', detail: { offset } } });
  });

  it('shows odd characters of a key as escapes and cuts long keys', () => {
    const scanned = scan(`{"a/~\u202e${'k'.repeat(100)}":{"x":1,"x":2}}`);
    expect(scanned).toMatchObject({ error: { detail: { pointer: `/a~1~0\\u{202e}${'k'.repeat(58)}…/x` } } });
  });

  it('keys of the envelope and of params that differ only by case, where asked to', () => {
    const split = '{"method":"tools/list","Method":"tools/call"}';
    const inParams = '{"method":"tools/call","params":{"name":"a","NAME":"b"}}';
    const inArguments = '{"params":{"name":"a","arguments":{"id":1,"ID":2}}}';
    expect(scan(split, { envelope: true })).toMatchObject({ error: { code: 'ingress.duplicate_key', detail: { pointer: '/Method' } } });
    expect(scan(inParams, { envelope: true })).toMatchObject({ error: { detail: { pointer: '/params/NAME' } } });
    expect(scan(inArguments, { envelope: true }).ok).toBe(true);
    expect(scan(split).ok).toBe(true);
  });
});

describe('scanJson keeps its bounds', () => {
  it('accepts depth 64 and refuses depth 65', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(scan(nested(64)).ok).toBe(true);
    expect(scan(nested(65))).toMatchObject({ error: { code: 'ingress.too_deep', detail: { pointer: '/a'.repeat(64) } } });
    expect(scan(nested(3), { maxDepth: 2 })).toMatchObject({ error: { code: 'ingress.too_deep' } });
  });

  it('counts every value against the bound of nodes', () => {
    const list = (count: number) => `{"a":[${Array(count).fill('1').join()}]}`;
    expect(scan(list(DEFAULT_BOUNDS.maxNodes - 2)).ok).toBe(true);
    expect(scan(list(DEFAULT_BOUNDS.maxNodes - 1))).toMatchObject({
      error: { code: 'ingress.too_many_nodes', detail: { pointer: '/a/99998' } },
    });
    expect(scan('{"a":1,"b":2}', { maxNodes: 2 })).toMatchObject({ error: { code: 'ingress.too_many_nodes', detail: { pointer: '/b' } } });
  });

  it('counts bytes, not characters', () => {
    expect(scan('{"a":"é"}', { maxBytes: 10 }).ok).toBe(true);
    expect(scan('{"a":"é"}', { maxBytes: 9 })).toMatchObject({ error: { code: 'ingress.too_large' } });
    expect(codeOf(new Uint8Array(DEFAULT_BOUNDS.maxBytes + 1).fill(0x20))).toBe('ingress.too_large');
  });

  const MiB4 = 4 * 1024 * 1024;
  it.each([
    ['100,000 arrays', () => `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'ingress.too_deep'],
    ['100,000 objects', () => '{"a":'.repeat(100_000), 'ingress.too_deep'],
    ['4 MiB of [', () => '['.repeat(MiB4), 'ingress.batch'],
    ['4 MiB of {', () => '{'.repeat(MiB4), 'ingress.not_json'],
    ['4 MiB of quotes', () => '"'.repeat(MiB4), 'ingress.not_json'],
    ['4 MiB of backslashes', () => `"${'\\'.repeat(MiB4 - 2)}"`, 'accepted'],
    ['4 MiB of digits', () => '9'.repeat(MiB4), 'ingress.unsafe_number'],
    ['a million empty arrays', () => `{"a":[${'[],'.repeat(1_000_000)}[]]}`, 'ingress.too_many_nodes'],
  ])('answers %s', (_, text, code) => {
    expect(codeOf(bytesOf(text()))).toBe(code);
  });
});

describe('scanJson accepts', () => {
  it.each([
    '9007199254740991',
    '-9007199254740991',
    '1e300',
    '1e20',
    '1.5',
    '-0.5e-7',
    '0',
    '1e-400',
    '0.1234567890123456789',
    '"\\ud83d\\ude00"',
    'true',
    'null',
  ])('%s as JSON.parse does', (text) => {
    expect(parsed(`{"v":${text}}`)).toEqual({ v: JSON.parse(text) });
    expect(parsed(text)).toEqual(JSON.parse(text));
  });

  it('-0 as 0 wherever it stands', () => {
    const value = parsed('{"a":-0,"b":[-0.0,{"c":-0e5}]}') as { a: number; b: [number, { c: number }] };
    for (const zero of [value.a, value.b[0], value.b[1].c, parsed('-0')]) expect(Object.is(zero, 0)).toBe(true);
  });

  it('and freezes to the leaves', () => {
    const value = parsed('{"a":{"b":[{"c":{}}]}}') as { a: { b: [{ c: object }] } };
    for (const part of [value, value.a, value.a.b, value.a.b[0], value.a.b[0].c]) expect(Object.isFrozen(part)).toBe(true);
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype);
  });

  it('a view into a larger buffer, reading no byte outside it', () => {
    const whole = bytesOf('xx{"a":1}yy');
    expect(scanJson(whole.subarray(2, 9))).toMatchObject({ ok: true, value: { value: { a: 1 } } });
  });
});

/** Whether a parsed value holds what the scan refuses; written apart from the scan. */
function isRefused(value: unknown, depth = 1): boolean {
  if (typeof value === 'number')
    return !Number.isFinite(value) || (Math.abs(value) > Number.MAX_SAFE_INTEGER && !/e/i.test(JSON.stringify(value)));
  if (typeof value === 'string') return value.includes('\0') || /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 64) return true;
  return Object.entries(value).some(
    ([key, item]) => ['__proto__', 'constructor', 'prototype'].includes(key) || isRefused(key) || isRefused(item, depth + 1),
  );
}
const withoutMinusZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value), (_, item: unknown) => (item === 0 ? 0 : item));
const jsonTexts = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.json({ stringUnit: 'binary', maxDepth: 4 }),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 2)),
);

describe('scanJson in general', () => {
  it('accepts exactly the safe values of JSON.parse, and yields equal ones', () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        const expected: unknown = JSON.parse(text);
        const scanned = scan(text);
        expect(scanned.ok).toBe(!Array.isArray(expected) && !isRefused(expected));
        if (scanned.ok) expect(scanned.value.value).toEqual(withoutMinusZero(expected));
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts no text that JSON.parse rejects, however a valid one is damaged', () => {
    const damaged = fc
      .tuple(jsonTexts, fc.nat(), fc.nat(3), fc.constantFrom(...'{}[]",:\\0-+.eE tnu\u0001é'))
      .map(([text, at, cut, put]) => {
        const where = at % (text.length + 1);
        return text.slice(0, where) + put + text.slice(where + cut);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        const bytes = bytesOf(text);
        const scanned = scanJson(bytes);
        let expected: unknown;
        try {
          expected = JSON.parse(new TextDecoder().decode(bytes));
        } catch {
          expect(scanned.ok || scanned.error.code).not.toBe(true);
          return;
        }
        if (scanned.ok) expect(scanned.value.value).toEqual(withoutMinusZero(expected));
        else expect(scanned.error.code).not.toBe('ingress.not_json');
      }),
      { numRuns: 5000 },
    );
  });

  it('never throws, whatever the bytes, and names a place inside them', () => {
    const soup = fc.array(
      fc.constantFrom(0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x3a, 0x2c, 0x5c, 0x75, 0x30, 0x2d, 0x65, 0x2e, 0x20, 0x00, 0xc3, 0xa9, 0xed),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          soup.map((items) => Uint8Array.from(items)),
        ),
        (bytes) => {
          const scanned = scanJson(bytes);
          if (scanned.ok) return;
          const { offset } = scanned.error.detail as { offset: number };
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(bytes.length);
        },
      ),
      { numRuns: 10_000 },
    );
  });

  it('finds the first repeated key however deep the objects are', () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(10), (names, pick, depth) => {
        const repeated = names[pick % names.length] as string;
        const object = `{${[...names, repeated].map((name) => `"${name}":1`).join()}}`;
        const scanned = scan(`${'{"d":'.repeat(depth)}${object}${'}'.repeat(depth)}`);
        expect(scanned).toMatchObject({
          error: { code: 'ingress.duplicate_key', detail: { pointer: `${'/d'.repeat(depth)}/${repeated}` } },
        });
      }),
    );
  });
});
