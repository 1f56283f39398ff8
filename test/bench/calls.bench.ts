/**
 * What the gate costs: an allowed call through it against the same upstream called directly, with intent and outcome durable; a held call from
 * its answer to its result; memory and start. Client, host and upstream are processes of their own.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '@countersign/store';
import { ms, print, timed } from './rounds.ts';
import { residentMb, type StartedHost, startHost, startLedgerProcess } from './started-host.ts';

const CALLS = 1000;
const ROUNDS = 3;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

/** One tools/call by hand, in the era each side speaks: the client's own cost is the same on both. */
async function callOver(
  url: string,
  token: string | null,
  name: string,
  args: object,
  era: '2025' | '2026',
): Promise<Record<string, unknown>> {
  const params = era === '2026' ? { name, arguments: args, _meta: META } : { name, arguments: args };
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': era === '2026' ? '2026-07-28' : '2025-11-25',
      ...(era === '2026' && { 'mcp-method': 'tools/call', 'mcp-name': name }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await answer.text();
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null');
  const message = JSON.parse(data) as { result?: Record<string, unknown>; error?: { message: string } };
  if (!message.result) throw new Error(message.error?.message ?? text);
  return message.result;
}

async function addedLatency(host: StartedHost, ledger: string): Promise<void> {
  const direct = () => callOver(ledger, null, 'list_payments', {}, '2025');
  const gated = () => callOver(host.mcp, host.agentToken, 'ledger__list_payments', {}, '2026');
  await timed(300, 4, direct);
  await timed(300, 4, gated);
  const rows: string[][] = [['', 'direct p50', 'gated p50', 'added p50', 'gated p99', 'direct/s', 'gated/s', 'share']];
  for (const width of [1, 16]) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const plain = await timed(CALLS, width, direct);
      const through = await timed(CALLS, width, gated);
      const share = `${Math.round((100 * through.perSecond) / plain.perSecond)} %`;
      const rates = [plain.perSecond.toFixed(0), through.perSecond.toFixed(0), share];
      rows.push([`${width} at once`, ms(plain.p50), ms(through.p50), ms(through.p50 - plain.p50), ms(through.p99), ...rates]);
    }
  }
  print('An allowed call, intent and outcome durable, over the same HTTP upstream called directly', rows);
}

async function answerToResult(host: StartedHost): Promise<void> {
  const headers = { authorization: `Bearer ${host.principalToken}`, 'content-type': 'application/json' };
  const answered: number[] = [];
  const resumed: number[] = [];
  for (let index = 0; index < 200; index += 1) {
    const waiting = callOver(host.mcp, host.agentToken, 'ledger__send_money', { to: 'Northwind', amount: 1000 + index }, '2026');
    const decision = await pendingOne(host, headers);
    const start = performance.now();
    const answer = fetch(`${host.url}/api/v1/decisions/${decision.id}/answer`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ version: decision.version, shownDigest: decision.shownDigest, effect: 'approve' }),
    }).then(async (reply) => {
      await reply.text();
      answered.push(performance.now() - start);
    });
    await waiting;
    resumed.push(performance.now() - start);
    await answer;
  }
  const middle = (times: number[]) => ms([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
  const last = (times: number[]) => ms([...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0);
  print('A held call, from the answer sent', [
    ['', 'p50', 'p99'],
    ['to the answer confirmed', middle(answered), last(answered)],
    ['to the upstream’s result at the agent', middle(resumed), last(resumed)],
  ]);
}

type Shown = { readonly id: string; readonly version: number; readonly shownDigest: string };

async function pendingOne(host: StartedHost, headers: Record<string, string>): Promise<Shown> {
  for (;;) {
    const page = (await (await fetch(`${host.url}/api/v1/decisions?state=pending&limit=1`, { headers })).json()) as { items: Shown[] };
    if (page.items[0]) return page.items[0];
  }
}

/** The floor: a plain insert with its commit, on the same kind of database, in this process. */
async function floor(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-floor-'));
  const { store, pglite } = await openEmbeddedStore(dir);
  await pglite.exec('create table floor (id bigint generated always as identity primary key, body text not null)');
  const insert = () => pglite.query('insert into floor (body) values ($1)', ['x'.repeat(300)]);
  await timed(500, 1, insert);
  const one = await timed(2000, 1, insert);
  print('Floor: one durable insert on the same database', [
    ['p50', 'p99', 'per second'],
    [ms(one.p50), ms(one.p99), one.perSecond.toFixed(0)],
  ]);
  await store.close();
  rmSync(dir, { recursive: true, force: true });
}

async function memory(host: StartedHost): Promise<void> {
  const marks: [string, number][] = [];
  const gated = () => callOver(host.mcp, host.agentToken, 'ledger__list_payments', {}, '2026');
  await timed(1000, 8, gated);
  marks.push(['after 1,000 more calls', residentMb(host.pid)]);
  await timed(10_000, 8, gated);
  marks.push(['after 10,000 more', residentMb(host.pid)]);
  const [first, second] = marks.map(([, mb]) => mb) as [number, number];
  print('Resident memory of the embedded host', [
    ...marks.map(([name, mb]) => [name, `${mb.toFixed(0)} MB`]),
    ['growth', `${(100 * (second / first - 1)).toFixed(1)} %`],
  ]);
}

export async function benchCalls(): Promise<void> {
  const ledger = await startLedgerProcess();
  await floor();
  const host = await startHost(ledger.url);
  const idle = residentMb(host.pid);
  await addedLatency(host, ledger.url);
  await answerToResult(host);
  await memory(host);
  await host.stop();
  const warm = await startHost(ledger.url, { dataDir: host.dataDir });
  print('Start to ready', [
    ['cold, new data directory', ms(host.readyMs)],
    ['warm', ms(warm.readyMs)],
    ['resident when idle', `${idle.toFixed(0)} MB`],
  ]);
  await warm.stop();
  host.remove();
  ledger.stop();
}
