import { CelFailure } from './cel-values.ts';

const AMBIGUOUS = 'is a path that different programs read differently';

/**
 * Whether `path` lies in `dir` or is `dir` itself, after `.`, `..`, doubled slashes and `%2e`/`%2f` are resolved. Nothing is read from a
 * disk, so links are not followed. A relative path is not inside an absolute `dir`; one that climbs above its own start leads nobody
 * knows where. Every way of reading the path (encoded or decoded, backslash as separator or as letter) must agree.
 * @throws CelFailure where they don't, for NUL, doubly encoded or climbing paths, `~`, and URLs: an error is dangerous in a rule and
 * covers nothing in a term, so neither `inside` nor `!inside` can be dodged by a trick of spelling
 * @example inside('/home/./a/../b.txt', '/home') === true
 * @example inside('/home/../etc/passwd', '/home') === false
 * @example inside('/workshop', '/home') === false
 */
export function inside(path: string, dir: string): boolean {
  const answers = new Set(readings(path, dir).map((reading) => isInsideAsRead(reading, dir)));
  if (answers.size !== 1) throw new CelFailure(AMBIGUOUS);
  return answers.has(true);
}

const isWindows = (path: string): boolean => /^[a-z]:([\\/]|$)/i.test(path) || path.startsWith('\\\\');

function readings(path: string, dir: string): readonly string[] {
  if (path === '' || dir === '') throw new CelFailure('is an empty path');
  if (`${path}${dir}`.includes('\0')) throw new CelFailure('is a path with a NUL');
  const decoded = decodeOnce(path);
  const spellings = isWindows(dir) ? [] : [path, decoded];
  return [...spellings, path.replaceAll('\\', '/'), decoded.replaceAll('\\', '/')];
}

/** Decodes `%2e`, `%2f` and `%5c` once. What would still hold an escape of a path afterwards was encoded to get past a reader like this one. */
function decodeOnce(path: string): string {
  if (!path.includes('%')) return path;
  if (/%(25|00|c0|c1|e0%80|f0%80)/i.test(path)) throw new CelFailure(AMBIGUOUS);
  return path.replace(/%(2e|2f|5c)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function isInsideAsRead(path: string, dir: string): boolean {
  const folder = resolve(isWindows(dir) ? dir.replaceAll('\\', '/') : dir);
  const target = resolve(path);
  if (folder.root !== target.root) return false;
  return folder.steps.every((step, place) => target.steps[place] === step);
}

type Resolved = { readonly root: string; readonly steps: readonly string[] };

function resolve(path: string): Resolved {
  if (path.startsWith('~')) throw new CelFailure('is a path in a home folder that is not known here');
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) throw new CelFailure('is a URL, not a path');
  const drive = /^[a-z]:(?=[\\/]|$)/i.exec(path)?.[0] ?? '';
  const rest = path.slice(drive.length);
  const root = drive.toLowerCase() + (rest.startsWith('/') ? '/' : '');
  const steps: string[] = [];
  for (const step of rest.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined && root === '') throw new CelFailure('is a path that climbs above its own start');
  }
  return { root, steps };
}
