import type { Readable, Writable } from 'node:stream';

/** Everything of the process that a command may touch, so that tests run commands without one. */
export type Io = {
  /** The answer goes to `stdout` and nothing else does; progress, questions and errors go to `stderr`. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: Readable;
  /** A person sits at both ends: questions can be asked. */
  readonly isInteractive: boolean;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly now: () => Date;
  /** Calls back for each Ctrl-C or SIGTERM from now on; without it those end the process as usual. */
  readonly onStop: (listener: () => void) => void;
  /** Calls back for each SIGHUP from now on. */
  readonly onReload: (listener: () => void) => void;
  /** Ends the process without waiting for anything. */
  readonly exitNow: (code: number) => void;
};

export const isColorWanted = (env: Io['env'], isTty: boolean): boolean => isTty && !env.NO_COLOR && env.TERM !== 'dumb';
