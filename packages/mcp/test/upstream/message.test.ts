import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/upstream/backoff.ts';
import { callParams } from '../../src/upstream/call-params.ts';
import { idOfEdges } from '../../src/upstream/message.ts';
import { paramHeadersOf, standardHeaders } from '../../src/upstream/request-headers.ts';

describe('idOfEdges', () => {
  it.each([
    ['the head', '{"jsonrpc":"2.0","id":12,"result":{', 'x"}]}}', 12],
    ['the tail', '{"result":{"content":[', '"}]},"jsonrpc":"2.0","id":12}', 12],
    ['the tail, in another order', '{"result":{', '"}]},"id":12,"jsonrpc":"2.0"}', 12],
    ['a spaced tail', '{ "result": {', '] }, "id": 12 }', 12],
    ['no nested object', '{"result":{"a":{', '"id":12}}', undefined],
    ['no text', '{"result":{"a":"', '","id":12"}', undefined],
    ['no later text of the head', '{"x":1,"jsonrpc":"2.0","id":12,', '}', undefined],
    ['no string', '{"jsonrpc":"2.0","id":"12",', '"}}', undefined],
  ])('reads an id from %s', (_, head, tail, id) => {
    expect(idOfEdges(Buffer.from(head), Buffer.from(tail))).toBe(id);
  });
});

describe('callParams', () => {
  it('puts in the arguments object itself, and our own keys over those of the caller', () => {
    const args = Object.freeze({ a: 1 });
    const params = callParams('t', args, {
      idempotencyKey: 'k',
      requestMeta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
      progressToken: 5,
      meta: {
        tracestate: 'a=1',
        baggage: 'b=2',
        progressToken: 'theirs',
        'io.modelcontextprotocol/protocolVersion': 'forged',
        'dev.mcp/x': 1,
        'io.countersign/idempotency-key': 'forged',
        'com.example.mcp/kept': 1,
      },
    });
    expect(params.arguments).toBe(args);
    expect(params._meta).toEqual({
      tracestate: 'a=1',
      baggage: 'b=2',
      'com.example.mcp/kept': 1,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.countersign/idempotency-key': 'k',
      progressToken: 5,
    });
  });
});

describe('paramHeadersOf', () => {
  const string = (name: unknown) => ({ type: 'string', 'x-mcp-header': name });
  const object = (properties: object) => ({ type: 'object', properties });

  it('finds marks at any depth of properties', () => {
    expect(paramHeadersOf(object({ a: string('A'), b: object({ c: string('C') }) }))).toEqual({
      headers: [
        { path: ['b', 'c'], name: 'C' },
        { path: ['a'], name: 'A' },
      ],
    });
    expect(paramHeadersOf(object({ 'x-mcp-header': { type: 'string' }, e: { enum: [{ 'x-mcp-header': 'data' }] } }))).toEqual({
      headers: [],
    });
  });

  it.each([
    ['under items', object({ a: { type: 'array', items: string('A') } })],
    ['under anyOf', object({ a: { anyOf: [string('A')] } })],
    ['in $defs', { ...object({}), $defs: { a: string('A') } }],
    ['on the root', { ...object({}), 'x-mcp-header': 'A' }],
    ['on an object', object({ a: { ...object({}), 'x-mcp-header': 'A' } })],
    ['on a number', object({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['with a space', object({ a: string('A B') })],
    ['with a line break', object({ a: string('A\r\nB') })],
    ['that is no string', object({ a: string(1) })],
    ['twice', object({ a: string('Same'), b: string('same') })],
  ])('finds a mark %s at fault', (_, schema) => {
    expect(paramHeadersOf(schema)).toHaveProperty('fault');
  });
});

describe('standardHeaders', () => {
  it('leave out what is absent, null or no primitive, and encode what HTTP can’t carry', () => {
    const marks = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ path: [key], name: key }));
    const params = { name: 'näme', arguments: { a: 'plain', b: null, c: ['x'], d: '=?base64?eA==?=', e: '', f: true } };
    expect(standardHeaders('tools/call', params, marks)).toEqual({
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('näme').toString('base64')}?=`,
      'mcp-param-a': 'plain',
      'mcp-param-d': `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`,
      'mcp-param-e': '=?base64??=',
      'mcp-param-f': 'true',
    });
  });
});

describe('backoffMs', () => {
  it('takes off up to half by chance and never grows beyond 30 s', () => {
    expect([1, 2, 8, 9, 1000].map((attempt) => backoffMs(attempt, 0))).toEqual([250, 500, 30_000, 30_000, 30_000]);
    expect(backoffMs(1, 0.999)).toBeGreaterThanOrEqual(125);
  });
});
