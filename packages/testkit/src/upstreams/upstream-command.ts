import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MAINS = { cookiejar: 'cookiejar', ledger: 'ledger-main', misbehaving: 'misbehaving' } as const;
export type UpstreamName = keyof typeof MAINS;

export interface UpstreamCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * How to start one of our upstreams as a child process, from any working directory and with an empty environment. `source` runs the
 * TypeScript by tsx, `built` runs dist; by default whichever this module itself runs from. Throws if the file is not there.
 */
export function upstreamCommand(
  name: UpstreamName,
  { form, args = [] }: { readonly form?: 'source' | 'built'; readonly args?: readonly string[] } = {},
): UpstreamCommand {
  const asked = form ?? (import.meta.url.endsWith('.ts') ? 'source' : 'built');
  const folder = new URL(asked === 'source' ? '../../src/upstreams/' : '../../dist/upstreams/', import.meta.url);
  const main = fileURLToPath(new URL(`${MAINS[name]}.${asked === 'source' ? 'ts' : 'js'}`, folder));
  if (!existsSync(main)) throw new Error(`${main} does not exist${asked === 'built' ? ': build the packages first' : ''}`);
  if (asked === 'built') return { command: process.execPath, args: [main, ...args] };
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return { command: process.execPath, args: [`--import=${tsx}`, main, ...args] };
}

/** How to start the official filesystem server on `folder`, which must exist. */
export function filesystemCommand(folder: string): UpstreamCommand {
  const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  return { command: process.execPath, args: [main, folder] };
}
