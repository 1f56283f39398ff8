import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { filesystemCommand, upstreamCommand } from '@countersign/testkit';
import { stringify } from 'yaml';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../../infra/sample/countersign.yaml', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** How to run the program from source in a process of its own. */
export const CLI = { command: process.execPath, args: [`--import=${TSX}`, '--conditions=countersign-source', MAIN] };

export type Spawned = {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exit: Promise<number | null>;
};

export function spawnCli(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Spawned {
  const child = spawn(CLI.command, [...CLI.args, ...argv], { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      text[name] += chunk.toString();
    });
  }
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { process: child, stdout: () => text.stdout, stderr: () => text.stderr, exit };
}

/** Runs it to its end. */
export async function ranCli(argv: readonly string[], env?: Readonly<Record<string, string>>) {
  const spawned = spawnCli(argv, env);
  return { code: await spawned.exit, stdout: spawned.stdout(), stderr: spawned.stderr() };
}

/** The sample config with its servers run from source, so that no build comes first. */
export function sampleFromSource(folder: string): string {
  const jar = upstreamCommand('cookiejar');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the config's own variables
  const [workspace, file, ledger] = ['${COUNTERSIGN_DATA}/demo/workspace', '${COUNTERSIGN_DATA}/demo/jar.json', '${LEDGER_URL}'];
  const servers = {
    files: filesystemCommand(workspace),
    jar: { command: jar.command, args: jar.args, env: { JAR_FILE: file } },
    ledger: { url: ledger },
  };
  const sample = readFileSync(SAMPLE, 'utf8');
  const config = sample.replace(/^servers:\n(?: .*\n)+/m, stringify({ servers }, { lineWidth: 0 }));
  if (config === sample) throw new Error('The sample has no servers any more.');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'countersign.yaml'), config);
  return join(folder, 'countersign.yaml');
}
