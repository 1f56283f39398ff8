import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { connectHttp, type Ledger, type LedgerOptions, type SeenRequest, startLedger, upstreamCommand } from '../src/index.ts';

const KEY = 'io.countersign/idempotency-key';
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: Partial<LedgerOptions> = {}): Promise<{ ledger: Ledger; client: Client }> {
  const ledger = await startLedger({ port: 0, ...options });
  const client = await connectHttp(ledger.url, { authorization: 'Bearer upstream-secret' });
  closers.push(ledger.close, () => client.close());
  return { ledger, client };
}

const send = (client: Client, args: Record<string, unknown>, key?: unknown) =>
  client.callTool({ name: 'send_money', arguments: args, ...(key === undefined ? {} : { _meta: { [KEY]: key } }) });

test('lists three tools', async () => {
  const { client } = await start();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['list_payments', 'send_money', 'schedule_payment']);
});

test('sends and schedules money and lists both', async () => {
  const { ledger, client } = await start();
  expect(await send(client, { to: 'Eve', amount: 20, memo: 'tea' })).toMatchObject({
    content: [{ type: 'text', text: 'pay_1: sent $20.00 to Eve (tea)' }],
    structuredContent: { replayed: false },
  });
  await client.callTool({ name: 'schedule_payment', arguments: { to: 'Rent', amount: 900, on: '2027-01-01' } });
  expect(ledger.payments()).toMatchObject([
    { kind: 'sent', to: 'Eve', amount: 20 },
    { kind: 'scheduled', to: 'Rent', on: '2027-01-01' },
  ]);
  expect(await client.callTool({ name: 'list_payments' })).toMatchObject({ structuredContent: { payments: ledger.payments() } });
});

test.each([
  ['a string', { to: 'Eve', amount: '1e2' }],
  ['nothing', { to: 'Eve', amount: 0 }],
  ['a negative amount', { to: 'Eve', amount: -5 }],
  ['no amount', { to: 'Eve' }],
  ['null', { to: 'Eve', amount: null }],
  ['an unknown field', { to: 'Eve', amount: 5, currency: 'JPY' }],
  ['nobody to send to', { to: '', amount: 5 }],
])('refuses %s', async (_, args) => {
  const { ledger, client } = await start();
  expect(await send(client, args)).toMatchObject({ isError: true });
  expect(ledger.payments()).toEqual([]);
});

test('pays once for one key, says which answer was the repeat, and pays again without a key', async () => {
  const { ledger, client } = await start();
  const order = { to: 'Eve', amount: 20 };
  expect(await send(client, order, 'k1')).toMatchObject({ structuredContent: { replayed: false, payment: { id: 'pay_1' } } });
  expect(await send(client, order, 'k1')).toMatchObject({ structuredContent: { replayed: true, payment: { id: 'pay_1' } } });
  expect(ledger.payments()).toHaveLength(1);
  await send(client, order);
  await send(client, order);
  expect(ledger.payments()).toHaveLength(3);
});

test.each([
  ['another amount', 'send_money', { to: 'Eve', amount: 21 }],
  ['another memo', 'send_money', { to: 'Eve', amount: 20, memo: 'and cake' }],
  ['another tool', 'schedule_payment', { to: 'Eve', amount: 20, on: '2027-01-01' }],
])('refuses a known key with %s', async (_, name, args) => {
  const { ledger, client } = await start();
  await send(client, { to: 'Eve', amount: 20 }, 'k1');
  expect(await client.callTool({ name, arguments: args, _meta: { [KEY]: 'k1' } })).toMatchObject({ isError: true });
  expect(ledger.payments()).toHaveLength(1);
});

test('refuses a key that is no string rather than pay without one', async () => {
  const { ledger, client } = await start();
  expect(await send(client, { to: 'Eve', amount: 20 }, 7)).toMatchObject({ isError: true });
  expect(ledger.payments()).toEqual([]);
});

test('pays once for fifty clients that send one key at once', async () => {
  const { ledger } = await start();
  const clients = await Promise.all(Array.from({ length: 50 }, () => connectHttp(ledger.url)));
  const answers = await Promise.all(clients.map((client) => send(client, { to: 'Eve', amount: 20 }, 'k1')));
  expect(ledger.payments()).toHaveLength(1);
  expect(answers.filter(({ structuredContent }) => (structuredContent as { replayed: boolean }).replayed)).toHaveLength(49);
  await Promise.all(clients.map((client) => client.close()));
});

test('keeps payments and keys in its file over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'demo', 'ledger.json');
  const { ledger, client } = await start({ file });
  await send(client, { to: 'Eve', amount: 20 }, 'k1');
  await ledger.close();
  const again = await start({ file });
  expect(await send(again.client, { to: 'Eve', amount: 20 }, 'k1')).toMatchObject({ structuredContent: { replayed: true } });
  expect(again.ledger.payments()).toEqual(ledger.payments());
});

test('shows a test each request before it runs', async () => {
  const seen: SeenRequest[] = [];
  const { client } = await start({ onRequest: (request) => void seen.push(request) });
  await send(client, { to: 'Eve', amount: 20 }, 'k1');
  expect(seen.at(-1)).toMatchObject({
    headers: { authorization: 'Bearer upstream-secret' },
    message: { method: 'tools/call', params: { name: 'send_money', _meta: { [KEY]: 'k1' } } },
  });
});

const isCall = ({ message }: SeenRequest) => (message as { method?: string }).method === 'tools/call';

test.each([
  ['drop', 0],
  ['lose-answer', 1],
  ['cut-stream', 1],
] as const)('a test may have it %s a call, after which there are %i payments', async (intervention, payments) => {
  const { ledger, client } = await start({ onRequest: (request) => (isCall(request) ? intervention : undefined) });
  const call = { name: 'send_money', arguments: { to: 'Eve', amount: 20 } };
  await expect(client.callTool(call, undefined, { timeout: 1000 })).rejects.toThrow(
    intervention === 'cut-stream' ? 'timed out' : 'fetch failed',
  );
  expect(ledger.payments()).toHaveLength(payments);
});

test('a test may answer a call in its place', async () => {
  const reply = { status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' };
  const { ledger, client } = await start({ onRequest: (request) => (isCall(request) ? reply : undefined) });
  await expect(send(client, { to: 'Eve', amount: 20 })).rejects.toThrow(/502|Bad gateway/);
  expect(ledger.payments()).toEqual([]);
});

test('answers only POST on its endpoint, with JSON', async () => {
  const { ledger } = await start();
  const post = (body: string) => fetch(ledger.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect((await fetch(ledger.url)).status).toBe(405);
  expect((await fetch(ledger.url.replace('/mcp', '/'), { method: 'POST' })).status).toBe(404);
  expect((await post('{')).status).toBe(400);
  expect((await post(JSON.stringify('x'.repeat(5 * 1024 * 1024)))).status).toBe(413);
});

test('runs as a program of its own, silent on stdout', async () => {
  const { command, args } = upstreamCommand('ledger');
  const child = spawn(command, args, { env: { LEDGER_PORT: '0' } });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [line] = await once(child.stderr, 'data');
  const client = await connectHttp(/http:\S+/.exec(String(line))?.[0] ?? 'no address');
  expect(await send(client, { to: 'Eve', amount: 20 })).toMatchObject({ structuredContent: { replayed: false } });
  await client.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(out).toBe('');
});
