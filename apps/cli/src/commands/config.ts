import { isAbsolute, relative, resolve } from 'node:path';
import type { ConfigProblem } from '@countersign/runtime';
import { type AddCommand, type Cli, type JsonOption, withJson } from '../cli.ts';
import { dataFolder } from '../data-folder.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { noteLine, printAnswer, printLine, safeJson } from '../print.ts';
import { withRemote } from '../remote.ts';
import { DONE, type RemoteCommand, runRemote } from '../run-remote.ts';

export const DEFAULT_CONFIG = 'countersign.yaml';

type CheckOptions = JsonOption & { readonly config?: string; readonly data?: string };

/** `config check | schema | reload`. */
export const addConfig: AddCommand = (program, cli) => {
  const config = program.command('config').description('check the config file, print its schema, or have the host read it again');
  withJson(config.command('check', { isDefault: true }))
    .description('name every mistake in the config file, with its line and column')
    .option('--config <file>', 'the file', DEFAULT_CONFIG)
    .option('--data <dir>', 'the data directory, which COUNTERSIGN_DATA stands for in the file')
    .action(cli.action((options: CheckOptions) => check(cli, options)));
  config
    .command('schema')
    .description('print the JSON Schema of the config file, for completion in an editor')
    .action(
      cli.action(async () => {
        const { configJsonSchema } = await import('@countersign/runtime');
        printLine(cli.io, JSON.stringify(configJsonSchema(), null, 2));
        return EXIT.ok;
      }),
    );
  withRemote(withJson(config.command('reload')))
    .description('have the running host read its config file again, all of it or nothing (operator)')
    .action(cli.action((flags: RemoteCommand) => reload(cli.io, flags)));
};

const reload = (io: Io, flags: RemoteCommand): Promise<ExitCode> =>
  runRemote(io, flags, 'operator', async ({ client }) => {
    const done = await client.host.reloadConfig();
    if (!done.ok) {
      const problems = problemsOf(done.error);
      if (problems.length === 0 || flags.json) return done;
      const { formatConfigProblems } = await import('@countersign/runtime');
      noteLine(io, formatConfigProblems(problems, io.cwd));
      return done;
    }
    const { rules, warnings } = done.value;
    if (!flags.json) for (const warning of warnings) noteLine(io, `warning: ${warning}`);
    printAnswer(io, { json: flags.json ?? false, value: done.value, text: () => `Read again: ${rules} rules are in force.` });
    return DONE;
  });

async function check({ io }: Cli, { json = false, ...options }: CheckOptions): Promise<ExitCode> {
  const { readConfig, formatConfigProblems } = await import('@countersign/runtime');
  const path = resolve(io.cwd, options.config ?? DEFAULT_CONFIG);
  const read = readConfig(path, { env: io.env, dataDir: dataFolder(io.cwd, options.data) });
  if (!read.ok) {
    const problems = problemsOf(read.error);
    if (json) printLine(io, safeJson({ ok: false, problems: problems.map(flat) }, 2));
    else noteLine(io, formatConfigProblems(problems, io.cwd));
    return EXIT.invalid;
  }
  const { config, warnings } = read.value.loaded;
  const counts = {
    rules: config.rules.length,
    servers: Object.keys(config.servers).length,
    principals: Object.keys(config.principals).length,
    agents: Object.keys(config.agents).length,
  };
  if (!json) for (const warning of warnings) noteLine(io, `warning: ${placed(io, warning)}`);
  printAnswer(io, {
    json,
    value: { ok: true, file: path, ...counts, warnings: warnings.map(flat) },
    text: () => `${nearPath(io, path)}: no problems (${countWords(counts)}).`,
  });
  return EXIT.ok;
}

/** What `config.invalid` carries. */
export const problemsOf = (failure: { readonly detail?: Readonly<Record<string, unknown>> }): readonly ConfigProblem[] =>
  (failure.detail?.problems ?? []) as readonly ConfigProblem[];

const flat = ({ file, place, path, message, fix }: ConfigProblem) => ({
  file,
  line: place?.line ?? null,
  column: place?.column ?? null,
  path,
  message,
  fix,
});

function placed(io: Io, { file, place, message }: ConfigProblem): string {
  return `${nearPath(io, file)}${place === null ? '' : `:${place.line}:${place.column}`}  ${message}`;
}

/** From where the person stands, if the file is below that. */
function nearPath(io: Io, path: string): string {
  const near = relative(io.cwd, path);
  return near === '' || near.startsWith('..') || isAbsolute(near) ? path : near;
}

const countWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${count === 1 ? what.slice(0, -1) : what}`)
    .join(', ');
