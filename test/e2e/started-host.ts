/** The real product as a person starts it: the CLI's binary in a process of its own, on its own data directory, config file and port. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from '@countersign/client';
import type { CredentialInput } from '@countersign/contracts';
import { afterAll } from 'vitest';
import { type CliResult, runCli } from './cli.ts';
import { BIN } from './place.ts';
import { type Ended, endOf, spawnChild } from './processes.ts';
import { until } from './until.ts';

/** From spawn to the ready line; a cold start on a busy machine takes a while. */
const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 30_000;

export type HostOptions = {
  /** What countersign.yaml says: its text, or a value (JSON is YAML). */
  readonly config: string | object;
  /** One that stood before; it is not removed then. */
  readonly dataDir?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type StartedHost = {
  readonly dataDir: string;
  readonly configPath: string;
  /** Where it answers now: each start takes a free port. */
  readonly url: () => string;
  readonly mcp: () => string;
  readonly pid: () => number;
  /** What it wrote to standard error, over all starts. */
  readonly stderr: () => string;
  /** The ready line of the last start. */
  readonly ready: () => Ready;
  /** Puts another config in place of the file; `reload` or a restart makes it count. */
  readonly configure: (config: string | object) => void;
  /** The SDK-independent HTTP client, as the operator, or with a principal's or an agent's token. */
  readonly operator: () => Client;
  readonly as: (token: string) => Client;
  readonly agentToken: (agent: string, input?: Partial<CredentialInput>) => Promise<string>;
  readonly principalToken: (principal: string) => Promise<string>;
  readonly principal: (principal: string) => Promise<Client>;
  /** `countersign …` against this host, in a process of its own. */
  readonly cli: (args: readonly string[], token?: string) => Promise<CliResult>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ctrl-C as a terminal sends it: to the whole process group. */
  readonly interrupt: () => void;
  /** How the process of the last start ended. */
  readonly ended: () => Promise<Ended>;
  /** SIGTERM, and waits for the end. */
  readonly stop: () => Promise<Ended>;
  /** SIGKILL: nothing is finished, nothing is handed over. */
  readonly kill: () => Promise<Ended>;
  /** Starts it again on the same data directory. */
  readonly start: () => Promise<void>;
};

export type Ready = {
  readonly ready: true;
  readonly url: string;
  readonly mcp: string;
  readonly login: string | null;
  readonly agents: Readonly<Record<string, { readonly token: string }>>;
};

const toRemove = new Set<string>();
afterAll(() => {
  for (const path of toRemove) rmSync(path, { recursive: true, force: true });
});

/** A directory that is gone after the test file. */
export function scratch(name = 'data'): string {
  const path = mkdtempSync(join(tmpdir(), `countersign-test-${name}-`));
  toRemove.add(path);
  return path;
}

/** Starts a host and waits for its ready line. Whatever is left of it goes after the test file. */
export async function startHost(options: HostOptions): Promise<StartedHost> {
  const host = prepareHost(options);
  await host.start();
  return host;
}

/** A host that is configured and not started yet. */
export function prepareHost({ config, dataDir = scratch(), flags = [], env = {} }: HostOptions): StartedHost {
  const configPath = join(scratch('config'), 'countersign.yaml');
  let child: ChildProcess | undefined;
  let ready: Ready | undefined;
  let written = '';
  const running = (): ChildProcess => child ?? never('It was never started.');
  const current = (): Ready => ready ?? never(`It is not ready.\n${written}`);
  const configure = (next: string | object) => writeFileSync(configPath, typeof next === 'string' ? next : JSON.stringify(next, null, 1));
  configure(config);

  async function start(): Promise<void> {
    ready = undefined;
    const begun = spawnChild(
      process.execPath,
      [BIN, 'start', '--json', '--config', configPath, '--data', dataDir, '--port', '0', ...flags],
      {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, as a shell would give it.
        detached: true,
      },
    );
    child = begun;
    begun.stderr?.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
    ready = await readyLine(begun, () => written);
  }
  const finish = async (signal: NodeJS.Signals): Promise<Ended> => {
    running().kill(signal);
    return await within(endOf(running()), `the end after ${signal}`, () => written);
  };
  const operatorSecret = (): string => readFileSync(join(dataDir, 'operator.secret'), 'utf8').trim();
  const as = (token: string): Client => createClient({ url: current().url, token });
  const operator = (): Client => as(operatorSecret());
  const host: StartedHost = {
    dataDir,
    configPath,
    configure,
    url: () => current().url,
    mcp: () => current().mcp,
    pid: () => running().pid ?? never('It has no process.'),
    stderr: () => written,
    ready: current,
    operator,
    as,
    agentToken: async (agent, input = {}) => mustBe(await operator().agents.issueCredential(agent, input)).token,
    principalToken: async (principal) => mustBe(await operator().principals.issueToken(principal)).token,
    principal: async (principal) => as(await host.principalToken(principal)),
    cli: (args, token) => runCli([...args, '--data', dataDir], token === undefined ? {} : { COUNTERSIGN_TOKEN: token }),
    signal: (signal) => void running().kill(signal),
    interrupt: () => void process.kill(-host.pid(), 'SIGINT'),
    ended: () => within(endOf(running()), 'its end', () => written),
    stop: () => finish('SIGTERM'),
    kill: () => finish('SIGKILL'),
    start,
  };
  return host;
}

async function readyLine(child: ChildProcess, written: () => string): Promise<Ready> {
  if (!child.stdout) throw new Error('The host has no output.');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const line = await until(`the ready line\n${written()}`, () => lines[0] ?? (hasEnded() ? '' : null), READY_WITHIN_MS);
  if (line === '') throw new Error(`The host ended before it was ready (${child.exitCode ?? child.signalCode}).\n${written()}`);
  return JSON.parse(line) as Ready;
}

async function within<Value>(promise: Promise<Value>, what: string, written: () => string): Promise<Value> {
  let isOver = false;
  void promise.then(() => {
    isOver = true;
  });
  await until(`${what}\n${written()}`, () => isOver, STOP_WITHIN_MS);
  return await promise;
}

/** The value of an answer that must not fail. */
export function mustBe<Value>(
  answer: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: object },
): Value {
  if (!answer.ok) throw new Error(`Refused: ${JSON.stringify(answer.error)}`);
  return answer.value;
}

const never = (why: string): never => {
  throw new Error(why);
};
