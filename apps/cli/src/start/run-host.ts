import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IssuedCredential } from '@countersign/contracts';
import { formatConfigProblems } from '@countersign/runtime';
import { DEFAULT_CONFIG, problemsOf } from '../commands/config.ts';
import { removeHostFile, writeHostFile } from '../data-folder.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-version.ts';
import { paintFor } from '../paint.ts';
import { type AnyFailure, noteLine, printFailure, printLine, safeJson } from '../print.ts';
import { show } from '../visible.ts';
import { type Demo, openDemo, playDemo } from './demo.ts';
import { readyScreen } from './ready-screen.ts';
import { type RunningHost, startHost } from './start-host.ts';
import { untilStopped } from './until-stopped.ts';

export type RunOptions = {
  readonly json: boolean;
  readonly demo: boolean;
  /** null: the default, or with `demo` the sample. */
  readonly configPath: string | null;
  readonly dataDir: string;
  readonly port?: number;
};

/** Starts a host, says that it is ready, and resolves with the exit code when it has ended. */
export async function runHost(io: Io, options: RunOptions): Promise<ExitCode> {
  const configPath = configFile(io, options);
  if (configPath === null) return printFailure(io, noConfig(io), options.json);
  const demo = options.demo ? await openDemo(options.dataDir) : null;
  try {
    const running = await start(io, configPath, demo, options);
    if (typeof running === 'number') return running;
    return await serve(io, running, demo, options);
  } finally {
    await demo?.close();
  }
}

function configFile(io: Io, { configPath, demo }: RunOptions): string | null {
  if (configPath !== null) return configPath;
  const here = resolve(io.cwd, DEFAULT_CONFIG);
  if (existsSync(here)) return here;
  const sample = fileURLToPath(new URL('../../../../infra/sample/countersign.yaml', import.meta.url));
  return demo && existsSync(sample) ? sample : null;
}

const noConfig = (io: Io): AnyFailure => ({
  code: 'config.invalid',
  message: `There is no ${DEFAULT_CONFIG} in ${io.cwd}. Name a config file with --config, or see how it works with --demo.`,
});

async function start(io: Io, configPath: string, demo: Demo | null, options: RunOptions): Promise<RunningHost | ExitCode> {
  try {
    const started = await startHost({
      configPath,
      dataDir: options.dataDir,
      ...(options.port !== undefined && { port: options.port }),
      env: { ...io.env, ...demo?.env },
      version: packageVersion(),
      logLevel: io.env.COUNTERSIGN_LOG ?? 'warn',
      onFirstStart: () => noteLine(io, 'Preparing the database for the first time …'),
    });
    if (started.ok) return started.value;
    const problems = problemsOf(started.error);
    if (options.json || problems.length === 0) return printFailure(io, started.error, options.json);
    noteLine(io, formatConfigProblems(problems, io.cwd));
    return EXIT.invalid;
  } catch (error) {
    const failure = cannotListen(error);
    if (failure === null) throw error;
    return printFailure(io, failure, options.json);
  }
}

/** What the system says when the address can't be had. */
function cannotListen(error: unknown): AnyFailure | null {
  const { code, address, port } = error as NodeJS.ErrnoException & { readonly address?: string; readonly port?: number };
  if (code === 'EADDRINUSE') {
    return { code: 'client.unreachable', message: `Something else listens on ${address}:${port}. Choose another port with --port.` };
  }
  if (code !== 'EACCES' && code !== 'EADDRNOTAVAIL') return null;
  return {
    code: 'client.unreachable',
    message: `Cannot listen on ${address}:${port} (${code}). Choose another address in the config or --port.`,
  };
}

async function serve(io: Io, running: RunningHost, demo: Demo | null, options: RunOptions): Promise<ExitCode> {
  const { url } = running;
  const stop = untilStopped(io);
  io.onReload(() => void reload(io, running));
  writeHostFile(options.dataDir, { url, pid: process.pid });
  try {
    const credentials = demo === null ? {} : await demoCredentials(running);
    await announce(io, running, credentials, options);
    const played = demo && playDemo(io, show, { workspace: demo.workspace, mcpUrl: running.mcpUrl, credentials, signal: stop.signal });
    await stop.asked;
    noteLine(io, '\nFinishing what runs. Ctrl-C again stops at once; what is held stays held either way.');
    await Promise.all([running.close(), played]);
    return EXIT.ok;
  } finally {
    removeHostFile(options.dataDir, process.pid);
  }
}

const OPERATOR = { operator: true } as const;

/** A fresh credential for each agent of the demo that the host knows. */
async function demoCredentials({ host }: RunningHost): Promise<Readonly<Record<string, IssuedCredential>>> {
  const credentials: Record<string, IssuedCredential> = {};
  for (const agent of Object.keys(host.config().agents)) {
    const issued = await host.operations.issueCredential(OPERATOR, { agent }, { label: 'demo', ttl_days: 7 });
    if (issued.ok) credentials[agent] = issued.value;
  }
  return credentials;
}

async function announce(
  io: Io,
  running: RunningHost,
  credentials: Readonly<Record<string, IssuedCredential>>,
  { json, dataDir }: RunOptions,
): Promise<void> {
  const { url, mcpUrl, host } = running;
  const principals = await principalNames(running);
  const [first, ...others] = principals;
  const link = first === undefined ? null : await host.operations.issueLoginLink(OPERATOR, first);
  const login = link?.ok && first !== undefined ? { url: `${url}/login/${link.value.token}`, principal: first } : null;
  if (json) {
    printLine(io, safeJson({ ready: true, url, mcp: mcpUrl, login: login?.url ?? null, agents: credentials }));
    return;
  }
  const [name, credential] = Object.entries(credentials)[0] ?? [];
  const agent = name === undefined || credential === undefined ? null : { name, token: credential.token };
  printLine(io, readyScreen({ url, mcp: mcpUrl, login, dataDir, agent, others }, paintFor(io.color.stdout)));
  printLine(io, '');
}

/** In the order of the config file, then whoever was added since. */
async function principalNames({ host }: RunningHost): Promise<readonly string[]> {
  const known = await host.operations.listPrincipals();
  const names = known.ok ? known.value.items.map(({ name }) => name) : [];
  const inConfig = Object.keys(host.config().principals).filter((name) => names.includes(name));
  return [...inConfig, ...names.filter((name) => !inConfig.includes(name))];
}

async function reload(io: Io, { host }: RunningHost): Promise<void> {
  const done = await host.reload(OPERATOR);
  if (done.ok) {
    for (const warning of done.value.warnings) noteLine(io, `warning: ${warning}`);
    noteLine(io, `Config read again: ${done.value.rules} rules are in force.`);
    return;
  }
  noteLine(io, `${formatConfigProblems(problemsOf(done.error), io.cwd)} The config before it stays in force.`);
}
