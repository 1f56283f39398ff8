import { Command, CommanderError } from 'commander';
import type { AddCommand, Cli } from './cli.ts';
import { addAgents } from './commands/agents.ts';
import { addAudit } from './commands/audit.ts';
import { addConfig } from './commands/config.ts';
import { addDecisions } from './commands/decisions/decisions.ts';
import { addDoctor } from './commands/doctor.ts';
import { addFreeze } from './commands/freeze.ts';
import { addLogin } from './commands/login.ts';
import { addMandate } from './commands/mandate.ts';
import { addMcp } from './commands/mcp.ts';
import { addPrincipals } from './commands/principals.ts';
import { addRules } from './commands/rules.ts';
import { addStart } from './commands/start.ts';
import { EXIT, EXIT_CODES_HELP, type ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';
import { packageVersion } from './package-version.ts';
import { noteLine } from './print.ts';

/** In the order of the help. */
const COMMANDS: readonly AddCommand[] = [
  addStart,
  addDoctor,
  addLogin,
  addDecisions,
  addRules,
  addAgents,
  addPrincipals,
  addMandate,
  addConfig,
  addAudit,
  addFreeze,
  addMcp,
];

const ENVIRONMENT_HELP = `Environment:
  COUNTERSIGN_URL              where the host is; default: the one that runs on --data
  COUNTERSIGN_TOKEN            a principal's token (csp_…), or for \`mcp\` an agent's credential (csa_…)
  COUNTERSIGN_OPERATOR_SECRET  the operator's secret (cso_…); default: operator.secret in --data
  COUNTERSIGN_LOG              what \`start\` logs on standard error: debug, info, warn (default) or error
  NO_COLOR                     no colours`;

/**
 * Runs one command line (without node and the script's name) and resolves with the exit code. Rejects never: a bug is printed to standard
 * error and is 70.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const cli: Cli = {
    io,
    action:
      (command) =>
      async (...args) => {
        code = await command(...args);
      },
  };
  try {
    await buildProgram(cli).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.invalid;
    noteLine(io, `A bug in countersign: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return EXIT.bug;
  }
}

function buildProgram(cli: Cli): Command {
  const program = new Command('countersign')
    .description('The approval queue and audit log for AI agents.')
    .version(packageVersion(), '--version')
    .configureOutput({
      writeOut: (text) => cli.io.stdout.write(text),
      writeErr: (text) => cli.io.stderr.write(text),
    })
    .exitOverride()
    .showHelpAfterError('Try --help.')
    .addHelpText('after', `\n${ENVIRONMENT_HELP}\n\n${EXIT_CODES_HELP}`);
  for (const add of COMMANDS) add(program, cli);
  return program;
}
