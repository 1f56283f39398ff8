import type { Command } from 'commander';
import type { ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';

/** What a command file gets to add its command with. */
export type Cli = {
  readonly io: Io;
  /** Turns a function that gives an exit code into a commander action. */
  readonly action: <Args extends unknown[]>(run: (...args: Args) => Promise<ExitCode>) => (...args: Args) => Promise<void>;
};

export type AddCommand = (program: Command, cli: Cli) => void;

/** The options of every command that gives an answer. */
export type JsonOption = { readonly json?: boolean };

export const withJson = (command: Command): Command => command.option('--json', 'print the answer as JSON');
