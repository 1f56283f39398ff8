/** The built product as a child process, as `npm start` runs it, and the ledger as another: what the benchmarks measure. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../..');

export type StartedHost = {
  readonly url: string;
  readonly mcp: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly agentToken: string;
  readonly principalToken: string;
  /** Milliseconds from spawn to the ready line. */
  readonly readyMs: number;
  stop(): Promise<void>;
  remove(): void;
};

export async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Starts the ledger in a process of its own. */
export async function startLedgerProcess(): Promise<{ readonly url: string; stop(): void }> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(ROOT, 'packages/testkit/dist/upstreams/ledger-main.js')], {
    env: { PATH: process.env.PATH, LEDGER_PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(() =>
    fetch(url, { method: 'OPTIONS' }).then(
      () => true,
      () => false,
    ),
  );
  return { url, stop: () => void child.kill() };
}

const CONFIG = (ledger: string, more: string): string => `
servers:
  ledger: { url: "${ledger}" }
rules:
  - id: payments
    tool: ledger__send_money
    when: over 100
    match: args.amount > 100
    reason: Payments above 100 need a person.
${more}
principals:
  ada: { name: Ada, mandate: { scopes: [directory:read, tools:call, decisions:write, audit:read], terms: [{ tool: "*", when: anything }] } }
agents:
  bench: { principal: ada, status: member }
limits: { requests_per_minute: 10000000, pending_per_agent: 100000 }
`;

/** Starts the built host over a ledger; `dataDir` reuses one that was stopped. */
export async function startHost(
  ledgerUrl: string,
  options: { readonly dataDir?: string; readonly config?: string } = {},
): Promise<StartedHost> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const config = join(dataDir, 'countersign.yaml');
  writeFileSync(config, CONFIG(ledgerUrl, options.config ?? ''));
  const bin = join(ROOT, 'apps/cli/bin/countersign.js');
  const begin = performance.now();
  const child = spawn(process.execPath, [bin, 'start', '--json', '--config', config, '--data', dataDir, '--port', '0'], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = JSON.parse(await firstLine(child)) as { url: string; mcp: string };
  const readyMs = performance.now() - begin;
  const secret = readFileSync(join(dataDir, 'operator.secret'), 'utf8').trim();
  const issue = async (path: string): Promise<string> => {
    const answer = await fetch(`${ready.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return ((await answer.json()) as { token: string }).token;
  };
  return {
    ...ready,
    pid: child.pid ?? 0,
    dataDir,
    readyMs,
    agentToken: await issue('agents/bench/credentials'),
    principalToken: await issue('principals/ada/token'),
    stop: () => ended(child),
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The host has no output.');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The host ended before it was ready.');
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('It did not come up in 20 s.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Resident memory of a process in MB, from /proc. */
export function residentMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}
