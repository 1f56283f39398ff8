import { resolve } from 'node:path';
import { type AddCommand, type Cli, type JsonOption, withJson } from '../cli.ts';
import { DEFAULT_DATA } from '../data-folder.ts';
import type { ExitCode } from '../exit-code.ts';
import { count } from '../numbers.ts';
import { DEFAULT_CONFIG } from './config.ts';

export type StartFlags = JsonOption & { readonly config?: string; readonly data: string; readonly port?: number; readonly demo?: boolean };

/** `start`: server and worker in one process, on a database in the data directory. */
export const addStart: AddCommand = (program, cli) => {
  withJson(program.command('start'))
    .description('start the host: server and worker in one process')
    .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
    .option('--data <dir>', 'the data directory', DEFAULT_DATA)
    .option('--port <n>', 'listen here and not where the config says; 0 for any free port', count(0, 65_535))
    .option('--demo', 'bring a workspace and a ledger for the sample config, and let its agents work')
    .addHelpText(
      'after',
      `
With --json it prints exactly one line, when it is ready:
  {"ready":true,"url":…,"mcp":…,"login":…,"agents":{…}}
login is a one-time link of the first principal; agents holds freshly issued credentials, with --demo only.
SIGHUP reads the config file again.`,
    )
    .action(cli.action((flags: StartFlags) => start(cli, flags)));
};

async function start({ io }: Cli, flags: StartFlags): Promise<ExitCode> {
  const { runHost } = await import('../start/run-host.ts');
  return runHost(io, {
    json: flags.json ?? false,
    demo: flags.demo ?? false,
    configPath: flags.config === undefined ? null : resolve(io.cwd, flags.config),
    dataDir: resolve(io.cwd, flags.data),
    ...(flags.port !== undefined && { port: flags.port }),
  });
}
