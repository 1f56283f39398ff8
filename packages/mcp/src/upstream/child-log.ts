import type { Clock } from './clock.ts';
import { readLines } from './lines.ts';
import type { Log } from './log.ts';

const MAX_LINE = 2000;
const MAX_LINES = 200;
const WINDOW_MS = 10_000;
const KEPT_LINES = 5;
/** Shorter secrets would blank out ordinary words. */
const MIN_SECRET = 6;

export type ChildLog = {
  readonly feed: (chunk: Buffer) => void;
  /** The last lines, for the status of a server that did not come up. */
  readonly lastLines: () => string;
};

/**
 * Writes what a child says on stderr to the log: line by line, at most 200 lines in 10 s and 2,000 characters each, with control characters
 * visible and the values of `secrets` masked.
 */
export function readChildLog(log: Log, server: string, secrets: readonly string[], clock: Clock): ChildLog {
  const masked = secrets.filter((secret) => secret.length >= MIN_SECRET);
  const last: string[] = [];
  let windowStart = clock.now();
  let written = 0;
  let dropped = 0;

  const write = (bytes: Buffer) => {
    const line = plainLine(bytes.toString('utf8'), masked);
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
    if (clock.now() - windowStart > WINDOW_MS) {
      if (dropped > 0) log.warn({ server, dropped }, 'upstream wrote more to stderr than is logged');
      windowStart = clock.now();
      written = 0;
      dropped = 0;
    }
    if (written++ < MAX_LINES) log.info({ server, stderr: line }, 'upstream stderr');
    else dropped++;
  };
  const feed = readLines({
    maxBytes: MAX_LINE * 4,
    drainBytes: Number.POSITIVE_INFINITY,
    onLine: write,
    onOverlong: write,
    onFlood: () => undefined,
  });
  return { feed, lastLines: () => last.join(' | ') };
}

/** One line that can neither steer a terminal nor reorder its text, without the secrets that the child was given. */
function plainLine(text: string, secrets: readonly string[]): string {
  let line = text;
  for (const secret of secrets) line = line.replaceAll(secret, '[secret]');
  if (line.length > MAX_LINE) line = `${line.slice(0, MAX_LINE)}…`;
  return line.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (odd) => `\\u{${(odd.codePointAt(0) as number).toString(16)}}`);
}
