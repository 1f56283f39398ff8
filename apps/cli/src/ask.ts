import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** Asks on standard error and reads one line; only `y` and `yes` are a yes. */
export async function isYes(io: Io, question: string): Promise<boolean> {
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
