import { ToolDetail, TryReport } from '@countersign/contracts';
import { describeRules, describeTool, tryCall } from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const SCHEMA = {
  type: 'object',
  properties: { amount: { type: 'integer', minimum: 1 }, to: { type: 'object', properties: { iban: { type: 'string' } } } },
  required: ['amount'],
  additionalProperties: false,
};
const TOOLS = { ledger__send_money: { inputSchema: SCHEMA, description: 'Pays' }, jar__cookie_jar: {} };

const attempt = async (on: TestHost, input: unknown) => {
  const report = await tryCall(on.deps, await on.caller('ada'), { tool: 'ledger__send_money', arguments: input });
  if (!report.ok) throw new Error(report.error.message);
  return TryReport.parse(report.value);
};

describe('trying a call', () => {
  it.each([
    [{ amount: 5 }, null],
    [{ amount: 5, to: { iban: 'DE' } }, null],
    [{}, "arguments must have required property 'amount'"],
    [{ amount: 0.5 }, '/amount must be integer; /amount must be >= 1'],
    [{ amount: 5, to: { iban: 7 } }, '/to/iban must be string'],
    [{ amount: 5, more: 1 }, 'arguments must NOT have additional properties'],
    [[], 'arguments must be object'],
    [null, 'arguments must be object'],
    ['x', 'arguments must be object'],
  ])('says what of %j does not fit the schema', async (input, problem) => {
    const on = await host({ tools: TOOLS });
    expect((await attempt(on, input)).schemaProblem).toBe(problem);
  });

  it.each([
    ['http://json-schema.org/draft-07/schema#', { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }],
    ['http://json-schema.org/draft-04/schema#', { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }],
    ['https://json-schema.org/draft/2020-12/schema', { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } }],
    ['https://json-schema.org/draft/next/schema', { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } }],
  ])('reads a schema in the dialect that it names: %s', async ($schema, properties) => {
    const on = await host({ tools: { ledger__send_money: { inputSchema: { $schema, type: 'object', properties } } } });
    expect((await attempt(on, { pair: ['a', 1] })).schemaProblem).toBeNull();
    expect((await attempt(on, { pair: ['a', 'b'] })).schemaProblem).toBe('/pair/1 must be number');
  });

  it('still says what the rules make of what does not fit', async () => {
    const on = await host({ tools: TOOLS, rules: [{ ...EAT, tool: 'ledger__*', match: 'args.amount > 3' }] });
    expect(await attempt(on, { amount: 3.5 })).toMatchObject({ effect: 'ask', schemaProblem: '/amount must be integer' });
  });

  it('guards nothing by a schema that is broken itself', async () => {
    const on = await host({ tools: { ledger__send_money: { inputSchema: { type: 'no such type' } } } });
    expect((await attempt(on, { amount: 'x' })).schemaProblem).toBeNull();
  });
});

describe('one tool', () => {
  it('is described by its accepted definition and what the host declares', async () => {
    const on = await host({
      tools: TOOLS,
      config: {
        tools: {
          'ledger__*': { idempotent: false, redact: ['args.to.iban'] },
          ledger__send_money: { idempotent: true, cost: 'double(args.amount) * 0.01', redact: ['args.note'] },
        },
      },
    });
    const described = await describeTool(on.deps, 'ledger__send_money');
    expect(described).toMatchObject({
      ok: true,
      value: {
        tool: 'ledger__send_money',
        server: 'ledger',
        state: 'accepted',
        definition: { name: 'send_money', description: 'Pays', inputSchema: SCHEMA },
        idempotent: true,
        cost: 'double(args.amount) * 0.01',
        // Every entry that names the tool hides what it hides.
        redact: ['args.to.iban', 'args.note'],
      },
    });
    if (described.ok) expect(described.value.digest).toBe(on.upstreams.tool('ledger__send_money')?.digest);
    if (described.ok) expect(ToolDetail.parse(described.value)).toEqual(described.value);
    expect(await describeTool(on.deps, 'jar__cookie_jar')).toMatchObject({ value: { idempotent: false, cost: null, redact: [] } });
  });

  it('that nobody knows is none', async () => {
    const on = await host();
    expect(await describeTool(on.deps, 'ledger__nothing')).toMatchObject({ ok: false, error: { code: 'tool.unknown' } });
  });
});

describe('the rule table', () => {
  it('says what is irreversible, when it reminds, and how its cards are titled', async () => {
    const on = await host({
      rules: [{ ...EAT, irreversible: true, remind_after: '30m', title: '"Eat " + string(args.amount)' }, { tool: 'jar__smash_jar' }],
    });
    expect((await describeRules(on.deps)).rules).toMatchObject([
      { irreversible: true, remindMs: 1_800_000, title: '"Eat " + string(args.amount)' },
      { irreversible: false, remindMs: null, title: null },
    ]);
  });
});
