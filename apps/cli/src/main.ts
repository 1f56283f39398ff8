import { type Io, isColorWanted } from './io.ts';
import { run } from './program.ts';

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  color: {
    stdout: isColorWanted(process.env, process.stdout.isTTY === true),
    stderr: isColorWanted(process.env, process.stderr.isTTY === true),
  },
  env: process.env,
  cwd: process.cwd(),
  now: () => new Date(),
  onStop: (listener) => {
    process.on('SIGINT', listener);
    process.on('SIGTERM', listener);
  },
  onReload: (listener) => void process.on('SIGHUP', listener),
  exitNow: (code) => process.exit(code),
};

// Whoever reads has read enough, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), io);
