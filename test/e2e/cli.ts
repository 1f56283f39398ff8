import { BIN } from './place.ts';
import { endOf, spawnChild } from './processes.ts';

export type CliResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs `countersign` once, with nothing of our environment but the path. */
export const runCli = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
  runNode([BIN, ...args], env);

/** Runs a Node program to its end. */
export async function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  const child = spawnChild(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const { code } = await endOf(child);
  await closed;
  return { code, stdout, stderr };
}
