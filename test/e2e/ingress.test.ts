/** What breaks a bound is refused at the door with the place named, in both eras, and the host goes on (DESIGN section 5, step 1). */
import { startFixture } from '@countersign/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacyCall, modernCall, openSession, type RawAnswer, type RawRequest, sendRaw } from './raw-http.ts';
import { aConfig } from './sample-config.ts';
import { mustBe, type StartedHost, startHost } from './started-host.ts';

let host: StartedHost;
let mirror: Awaited<ReturnType<typeof startFixture>>;
let reached = 0;
let token: string;
let session: Readonly<Record<string, string>>;
beforeAll(async () => {
  mirror = await startFixture({
    mode: 'mirror',
    onRequest: ({ message }) => {
      if ((message as { method?: string }).method === 'tools/call') reached += 1;
      return undefined;
    },
  });
  host = await startHost({
    config: aConfig({ servers: { mirror: { url: mirror.url } }, limits: { call_bytes: 300_000, requests_per_minute: 1_000_000 } }),
  });
  token = await host.agentToken('researcher');
  session = await openSession(host.mcp(), token);
});
afterAll(() => mirror.close());

const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const BROKEN: readonly (readonly [string, string, string, string | null])[] = [
  ['a duplicate key', '{"a":1,"a":2}', 'ingress.duplicate_key', '/params/arguments/a'],
  ['a duplicate key, spelt with an escape', '{"a":1,"\\u0061":2}', 'ingress.duplicate_key', '/params/arguments/a'],
  ['a duplicate key deep inside', '{"x":[{"b":{"c":1,"c":1}}]}', 'ingress.duplicate_key', '/params/arguments/x/0/b/c'],
  ['__proto__', '{"__proto__":{"admin":true}}', 'ingress.forbidden_key', '/params/arguments/__proto__'],
  ['a nested __proto__', '{"a":{"__proto__":{}}}', 'ingress.forbidden_key', '/params/arguments/a/__proto__'],
  ['constructor', '{"constructor":{}}', 'ingress.forbidden_key', '/params/arguments/constructor'],
  ['prototype, spelt with an escape', '{"a":[{"\\u0070rototype":1}]}', 'ingress.forbidden_key', '/params/arguments/a/0/prototype'],
  ['an integer of 2^53', '{"n":9007199254740992}', 'ingress.unsafe_number', '/params/arguments/n'],
  ['an integer below -(2^53-1)', '{"n":-9007199254740993}', 'ingress.unsafe_number', '/params/arguments/n'],
  ['a long integer', '{"n":12345678901234567890}', 'ingress.unsafe_number', '/params/arguments/n'],
  ['a number that overflows', '{"n":1e400}', 'ingress.unsafe_number', '/params/arguments/n'],
  ['a lone high surrogate', '{"s":"\\ud800"}', 'ingress.bad_text', '/params/arguments/s'],
  ['a lone low surrogate in a key', '{"\\udc00":1}', 'ingress.bad_text', null],
  ['NUL in a text', '{"s":"a\\u0000b"}', 'ingress.bad_text', '/params/arguments/s'],
  ['too deep a nest', deep(70), 'ingress.too_deep', null],
  ['a hundred thousand levels', deep(90_000), 'ingress.too_deep', null],
  ['too many values', `{"a":[${'0,'.repeat(100_000)}0]}`, 'ingress.too_many_nodes', null],
  ['too many bytes', `{"a":"${'x'.repeat(400_000)}"}`, 'ingress.too_large', null],
];
type Problem = {
  readonly id: unknown;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code?: string; readonly place?: { readonly pointer: string; readonly offset: number } };
  };
};

const send = async (request: RawRequest): Promise<RawAnswer> => await sendRaw(host.mcp(), request);
const requests = (args: string): readonly (readonly [string, RawRequest])[] => [
  ['2025-11-25', legacyCall('mirror__show_request', args, session)],
  ['2026-07-28', modernCall('mirror__show_request', args, token)],
];

describe('a call with', () => {
  it.each(BROKEN)('%s is refused with the place, in both eras, reaches nobody, and is in the log', async (_, args, code, pointer) => {
    const before = reached;
    for (const [era, request] of requests(args)) {
      const answered = await send(request);
      expect([era, answered.status]).toEqual([era, code === 'ingress.too_large' ? 413 : 400]);
      const body = answered.json() as Partial<Problem> & { code?: string };
      expect(body.error?.data?.code ?? body.code).toBe(code);
      if (pointer !== null) expect(body.error?.data?.place?.pointer).toBe(pointer);
    }
    expect(reached).toBe(before);
  });

  it.each([
    ['the largest integers', '{"n":9007199254740991,"m":-9007199254740991}'],
    ['a nest of 40', deep(40)],
    ['a pair of surrogates, a quoted NUL name and an escaped slash', '{"s":"\\ud83e\\uded9 \\\\u0000 \\/"}'],
    ['keys that merely look alike', '{"a":1,"A":2,"à":3,"a\u0300":4}'],
    ['"proto" as a value', '{"key":"__proto__"}'],
  ])('%s is not', async (_, args) => {
    for (const [, request] of requests(args)) {
      const body = (await send(request)).json() as { result: { content: readonly { text: string }[] } };
      expect((JSON.parse(body.result.content[0]?.text ?? '') as { args: unknown }).args).toEqual(JSON.parse(args));
    }
  });
});

const call = (args = '{}') => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror__show_request","arguments":${args}}}`;
const BODIES: readonly (readonly [string, string | Uint8Array, string])[] = [
  ['nothing', '', 'ingress.not_json'],
  ['half a message', call().slice(0, -3), 'ingress.not_json'],
  ['a message and something after it', `${call()} x`, 'ingress.not_json'],
  ['two messages', `${call()}${call()}`, 'ingress.not_json'],
  ['a bare word', 'tools/call', 'ingress.not_json'],
  ['NaN', call('{"n":NaN}'), 'ingress.not_json'],
  ['a comment', call('{/* */}'), 'ingress.not_json'],
  ['a trailing comma', call('{"a":1,}'), 'ingress.not_json'],
  ['single quotes', call("{'a':1}"), 'ingress.not_json'],
  ['a raw line feed in a text', call('{"a":"\n"}'), 'ingress.not_json'],
  ['a batch', `[${call()}]`, 'ingress.batch'],
  ['an empty batch', '[]', 'ingress.batch'],
  ['a byte-order mark', `\ufeff${call()}`, 'ingress.not_utf8'],
  ['UTF-16', Buffer.from(call(), 'utf16le'), 'ingress.not_json'],
  ['a stray byte', Buffer.concat([Buffer.from(call('{"a":"').slice(0, -3)), Buffer.from([0xff]), Buffer.from('"}}}')]), 'ingress.not_utf8'],
  ['an overlong encoding', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]), 'ingress.not_utf8'],
  ['a surrogate as bytes', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]), 'ingress.not_utf8'],
  ['the method twice', call().replace('"method"', '"method":"ping","method"'), 'ingress.duplicate_key'],
  ['the method in two cases', call().replace('"method"', '"Method":"ping","method"'), 'ingress.duplicate_key'],
  ['the name in two cases', call().replace('"name"', '"Name":"x","name"'), 'ingress.duplicate_key'],
];

describe('a body of', () => {
  it.each(BODIES)('%s is refused and reaches nobody', async (_, body, code) => {
    const before = reached;
    const answered = await send({ headers: session, body });
    const problem = answered.json() as Problem;
    expect([answered.status, problem.error.data?.code]).toEqual([400, code]);
    expect(problem.error.data?.place?.offset).toEqual(expect.any(Number));
    expect(reached).toBe(before);
  });
});

it('the log has the refusals, and the host goes on as if nothing had been', async () => {
  const ada = await host.principal('ada');
  const { items } = mustBe(await ada.audit.query({ type: ['call.malformed'], limit: 200 }));
  const codes = new Set(items.map(({ payload }) => payload.code));
  expect([...codes]).toEqual(
    expect.arrayContaining([
      'ingress.duplicate_key',
      'ingress.forbidden_key',
      'ingress.unsafe_number',
      'ingress.bad_text',
      'ingress.too_deep',
    ]),
  );
  expect((await send(modernCall('mirror__show_request', '{"ok":true}', token))).status).toBe(200);
});
