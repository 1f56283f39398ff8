import { createHash } from 'node:crypto';
import { canonicalize } from '@countersign/audit';
import type { Digest } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerTools, type ToolOffer, toolKey } from '../src/toolbox.ts';

const digest = (value: unknown): Digest => `sha256:${createHash('sha256').update(canonicalize(value)).digest('hex')}` as Digest;
const options = { reserved: ['whoami', 'await_decision', 'my_mandate'], digest };
const launch = { command: 'node', args: ['server.mjs'], env: ['TOKEN'] };
const aTool = (name: unknown, fields: Record<string, unknown> = {}) => ({
  name,
  description: 'Does it.',
  inputSchema: { type: 'object' },
  ...fields,
});
const offer = (server: string, ...definitions: unknown[]): ToolOffer => ({
  server,
  launch,
  offered: definitions.map((definition) => ({ definition })),
});
const register = (...offers: ToolOffer[]) => registerTools(offers, options);
const keys = (...offers: ToolOffer[]) => register(...offers).tools.map(({ key }) => key);
const refusals = (...offers: ToolOffer[]) => register(...offers).refused.map(({ server, name }) => `${server}/${name}`);

describe('registerTools', () => {
  it('emits server__tool, sorted, with the raw definition', () => {
    const read = Object.freeze(aTool('read', { annotations: { readOnlyHint: true }, 'x-own': 1, outputSchema: { type: 'object' } }));
    const { tools, refused } = register(offer('files', aTool('write'), read), offer('acme', aTool('status')));
    expect(tools.map(({ key }) => key)).toEqual(['acme__status', 'files__read', 'files__write']);
    expect(refused).toEqual([]);
    expect(tools[1]).toMatchObject({ server: 'files', name: 'read', hasOutputSchema: true, inputSchema: { type: 'object' } });
    expect(tools[1]?.definition).toBe(read);
    expect(tools[2]?.hasOutputSchema).toBe(false);
  });

  it('keeps every other tool when one is malformed', () => {
    const malformed = [
      aTool('no_schema', { inputSchema: undefined }),
      aTool('a_string', { inputSchema: { type: 'string' } }),
      aTool('untyped', { inputSchema: {} }),
      aTool('a_list', { inputSchema: [] }),
      aTool('odd_output', { outputSchema: 'x' }),
      aTool('vast', { description: 'x'.repeat(128 * 1024) }),
      aTool(undefined),
      'not even an object',
      null,
    ];
    const box = register({
      ...offer('s', aTool('good'), ...malformed),
      offered: [...offer('s', aTool('good'), ...malformed).offered, { name: 'twice', fault: 'Refused.' }],
    });
    expect(box.tools.map(({ key }) => key)).toEqual(['s__good']);
    expect(box.refused.map(({ name }) => name)).toEqual([
      '',
      '',
      '',
      'a_list',
      'a_string',
      'no_schema',
      'odd_output',
      'twice',
      'untyped',
      'vast',
    ]);
    expect(box.refused.every(({ reason }) => reason.endsWith('.'))).toBe(true);
  });

  it.each([
    ['a name that differs by case', 'delete_file', 'Delete_File'],
    ['a name that differs by - and _', 'do_it', 'do-it'],
    ['a duplicate within a server', 'twice', 'twice'],
    ['a digit for a letter', 'list_all', 'list_a1l'],
    ['a zero for an O', 'GO', 'G0'],
    ['a capital I for an l', 'list', 'Iist'],
    ['long names whose aliases end in different hashes', 'x'.repeat(70), `${'x'.repeat(69)}X`],
  ])('refuses both of %s and names them (D6)', (_, one, other) => {
    const box = register(offer('s', aTool(one), aTool('bystander'), aTool(other)));
    expect(box.tools.map(({ name }) => name)).toEqual(['bystander']);
    expect(box.refused.map(({ name }) => name).sort()).toEqual([one, other].sort());
  });

  it('refuses tools of two servers whose emitted names fold to one (D6)', () => {
    expect(refusals(offer('acme-', aTool('status')), offer('acme', aTool('_status'), aTool('fine')))).toEqual([
      'acme/_status',
      'acme-/status',
    ]);
    expect(refusals(offer('a', aTool('b__c')), offer('a--b', aTool('c')))).toEqual(['a/b__c', 'a--b/c']);
  });

  it('never lets acme_ + status pass for acme + _status (D6)', () => {
    const box = register(offer('acme_', aTool('status')), offer('acme', aTool('_status')));
    expect(box.tools.map(({ key }) => key)).toEqual(['acme___status']);
    expect(box.refused).toEqual([{ server: 'acme_', name: 'status', reason: expect.stringContaining('server key acme_') }]);
  });

  it('keeps tools of one bare name on two servers apart (D1)', () => {
    expect(keys(offer('a', aTool('x')), offer('b', aTool('x')))).toEqual(['a__x', 'b__x']);
  });

  it.each([
    ['a Cyrillic e', 'd\u0435lete_file', 'd\\u{435}lete_file'],
    ['a bidi override', 'a\u202eb', 'a\\u{202e}b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['full-width letters', '\uff41bc', '\\u{ff41}bc'],
    ['an accent', 'caf\u00e9', 'caf\\u{e9}'],
    ['a space', 'a b', 'a b'],
    ['a slash', 'a/b', 'a/b'],
    ['a line break', 'a\nb', 'a\\u{a}b'],
    ['no characters', '', ''],
    ['129 characters', 'x'.repeat(129), `${'x'.repeat(128)}…`],
  ])('refuses a name with %s alone and shows it harmlessly (D1)', (_, name, shown) => {
    const box = register(offer('s', aTool(name), aTool('delete_file')));
    expect(box.tools.map(({ key }) => key)).toEqual(['s__delete_file']);
    expect(box.refused).toEqual([{ server: 's', name: shown, reason: expect.any(String) }]);
  });

  it('refuses what resembles a name of ours', () => {
    const mine = { ...options, reserved: ['s__whoami'] };
    expect(registerTools([offer('s', aTool('WhoAmI'), aTool('other'))], mine)).toMatchObject({
      tools: [{ key: 's__other' }],
      refused: [{ name: 'WhoAmI', reason: expect.stringContaining('s__whoami') }],
    });
  });

  it('pins the definition and the launch, whatever the order of keys', () => {
    const pin = (definition: unknown, how: ToolOffer['launch'] = launch) =>
      registerTools([{ server: 's', launch: how, offered: [{ definition }] }], options).tools[0]?.digest;
    const base = pin({ name: 'a', inputSchema: { type: 'object' }, description: 'x' });
    expect(pin({ description: 'x', inputSchema: { type: 'object' }, name: 'a' })).toBe(base);
    for (const changed of [
      pin({ name: 'a', inputSchema: { type: 'object' }, description: 'y' }),
      pin({ name: 'a', inputSchema: { type: 'object', properties: {} }, description: 'x' }),
      pin({ name: 'a', inputSchema: { type: 'object' }, description: 'x', annotations: { readOnlyHint: true } }),
      pin({ name: 'a', inputSchema: { type: 'object' }, description: 'x', 'x-unknown': 1 }),
      pin({ name: 'a', inputSchema: { type: 'object' }, description: 'x' }, { ...launch, command: 'other' }),
    ])
      expect(changed).not.toBe(base);
  });
});

describe('toolKey', () => {
  it('shortens a long name to 60 characters with a hash, and spells a dot as _', () => {
    const long = toolKey('a-server-of-20-chars', 'x'.repeat(100), digest);
    expect(long).toMatch(/^a-server-of-20-chars__x{29}_[0-9a-f]{8}$/);
    expect(long).toHaveLength(60);
    expect(toolKey('s', 'fs.read', digest)).toMatch(/^s__fs_read_[0-9a-f]{8}$/);
    expect(toolKey('s', 'x'.repeat(57), digest)).toBe(`s__${'x'.repeat(57)}`);
  });
});

describe('the toolbox in general', () => {
  const names = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/),
    fc.constantFrom('a', 'A', 'a_b', 'a-b', 'a.b', 'a__b', '_a', 'a_', '1', 'l', 'x'.repeat(70), `${'x'.repeat(69)}y`),
  );
  const servers = fc.constantFrom('a', 'a-', 'a--b', 'b', 'a-b', 'a-server-of-20-chars');
  const offers = fc
    .dictionary(servers, fc.array(names, { maxLength: 8 }), { noNullPrototype: true })
    .map((lists) => Object.entries(lists).map(([server, list]) => offer(server, ...list.map((name) => aTool(name)))));

  it('gives each registered (server, name) its own emitted name, and none is lost unnamed', () => {
    fc.assert(
      fc.property(offers, (all) => {
        const { tools, refused } = registerTools(all, options);
        expect(new Set(tools.map(({ key }) => key)).size).toBe(tools.length);
        expect(new Set(tools.map(({ server, name }) => `${server}/${name}`)).size).toBe(tools.length);
        expect(new Set(tools.map(({ key }) => key.toLowerCase().replaceAll('-', '_'))).size).toBe(tools.length);
        for (const { key } of tools) expect(key).toMatch(/^[A-Za-z0-9_-]{1,60}$/);
        expect(tools.length + refused.length).toBe(all.reduce((sum, { offered }) => sum + offered.length, 0));
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of servers or tools', () => {
    fc.assert(
      fc.property(offers, (all) => {
        const reversed = [...all].reverse().map((each) => ({ ...each, offered: [...each.offered].reverse() }));
        const summary = ({ tools, refused }: ReturnType<typeof registerTools>) => ({
          tools: tools.map(({ key, digest: pin }) => `${key} ${pin}`),
          refused: refused.map(({ server, name }) => `${server}/${name}`),
        });
        expect(summary(registerTools(reversed, options))).toEqual(summary(registerTools(all, options)));
      }),
      { numRuns: 300 },
    );
  });
});
