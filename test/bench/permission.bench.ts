/**
 * What the permission check costs: an allowed call under one term and under a thousand, and `tools/list` for a hundred callers of four lanes at
 * once over five hundred upstream tools. Host, upstreams and callers share this process, and the floors are taken in it too.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@countersign/client';
import type { Scope, Term } from '@countersign/contracts';
import { startFixture } from '@countersign/testkit';
import { must, openWholeHost, type WholeHost } from '../whole-host.ts';
import { ms, print, timed } from './rounds.ts';

const CALLS = 600;
const ROUNDS = 5;
const TERMS = 1000;
const TOOLS = 500;
const CALLERS = 100;
const SCOPES: Scope[] = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'];
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

const COVERING: Term = { tool: 'one__tool_0', when: 'anything' };
/** Terms that do not cover the call: for other tools, or for the same tool with other arguments, as `remember` writes them. */
const otherTools = Array.from(
  { length: TERMS - 1 },
  (_, n): Term => ({ tool: `many__tool_${n + 1}`, when: 'another tool', match: `args.n == ${n}` }),
);
const sameTool = Array.from(
  { length: TERMS - 1 },
  (_, n): Term => ({ tool: 'one__tool_0', when: 'another call', match: `size(args) == 1 && args["n"] == ${n}` }),
);

async function request(url: string | URL, token: string | null, method: string, params: object = {}): Promise<string> {
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...name,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  });
  const text = await answer.text();
  if (!text.includes('"result"')) throw new Error(text.slice(0, 500));
  return text;
}

async function allowedCalls(host: WholeHost, ada: Client): Promise<void> {
  const token = await host.agentToken('member');
  const call = (index: number) => request(host.mcp, token, 'tools/call', { name: 'one__tool_0', arguments: { text: `call ${index}` } });
  const mandates: readonly (readonly [string, readonly Term[]])[] = [
    ['1 term', [COVERING]],
    [`${TERMS} terms, the others for other tools`, [...otherTools, COVERING]],
    [`${TERMS} terms, the others for this tool`, [...sameTool, COVERING]],
  ];
  const use = async (terms: readonly Term[]) => {
    const { version } = must(await ada.mandate.get());
    must(await ada.mandate.set({ scopes: SCOPES, terms: [...terms] }, version));
    await timed(100, 1, call);
  };
  const p50s = mandates.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, [, terms]] of mandates.entries()) {
      await use(terms);
      p50s[place]?.push((await timed(CALLS, 1, call)).p50);
    }
  }
  const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const one = middle(p50s[0] ?? []);
  const rows = mandates.map(([name], place) => {
    const p50 = middle(p50s[place] ?? []);
    return [name, ms(p50), `${(p50 / one).toFixed(2)} x`];
  });
  print(`An allowed call, one at a time, p50 over HTTP, median of ${ROUNDS} rounds (aim: within 1.5 x)`, [
    ['', 'p50', 'against one term'],
    ...rows,
  ]);
}

async function toolLists(host: WholeHost): Promise<void> {
  const lanes = [null, await host.agentToken('newcomer'), await host.agentToken('member'), await host.principalToken('ada')];
  const texts = await Promise.all(lanes.map((token) => request(host.mcp, token, 'tools/list')));
  const floor = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      const body = texts[Number(new URL(incoming.url ?? '', 'http://x').searchParams.get('lane'))] ?? '';
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
    });
  });
  await new Promise<void>((resolve) => floor.listen(0, '127.0.0.1', resolve));
  const at = (index: number) => index % lanes.length;
  const plain = (index: number) =>
    request(`http://127.0.0.1:${(floor.address() as AddressInfo).port}/?lane=${at(index)}`, null, 'tools/list');
  const gated = (index: number) => request(host.mcp, lanes[at(index)] ?? null, 'tools/list');
  const rows: string[][] = [['', 'p50', 'p99', 'per second']];
  for (let round = 0; round < 3; round += 1) {
    for (const [name, work] of [
      ['floor: the same bytes from node:http', plain],
      ['tools/list', gated],
    ] as const) {
      await timed(CALLERS, CALLERS, work);
      const { p50, p99, perSecond } = await timed(20 * CALLERS, CALLERS, work);
      rows.push([name, ms(p50), ms(p99), perSecond.toFixed(0)]);
    }
  }
  const sizes = texts.map((text) => `${(Buffer.byteLength(text) / 1024).toFixed(0)} KB`).join(', ');
  print(`tools/list, ${CALLERS} callers at once of four lanes (${sizes}), ${TOOLS} upstream tools`, rows);
  floor.closeAllConnections();
  await new Promise((resolve) => floor.close(resolve));
}

export async function benchPermission(): Promise<void> {
  const one = await startFixture({ mode: 'conflict-names', names: ['tool_0'] });
  const many = await startFixture({ mode: 'conflict-names', names: Array.from({ length: TOOLS }, (_, n) => `tool_${n}`) });
  const host = await openWholeHost({
    servers: { one: { url: one.url }, many: { url: many.url } },
    principals: { ada: { name: 'Ada', mandate: { scopes: SCOPES, terms: [COVERING] } } },
    agents: { member: { principal: 'ada', status: 'member' }, newcomer: { principal: 'ada', status: 'probation' } },
    limits: { requests_per_minute: 100_000_000 },
  });
  const ada = host.as(await host.principalToken('ada'));
  await allowedCalls(host, ada);
  await toolLists(host);
  await host.close();
  await Promise.all([one.close(), many.close()]);
}
