import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where a host keeps what it knows, unless --data says otherwise. */
export const DEFAULT_DATA = '.countersign';

/** Where the host that runs on a data directory is reached. */
export type HostFile = { readonly url: string; readonly pid: number };

const hostFile = (data: string): string => join(data, 'host.json');

export const dataFolder = (cwd: string, given: string | undefined): string => resolve(cwd, given ?? DEFAULT_DATA);

export function writeHostFile(data: string, host: HostFile): void {
  writeFileSync(hostFile(data), `${JSON.stringify(host)}\n`, { mode: 0o600 });
}

/** Only while it is still ours: a later start may have written its own. */
export function removeHostFile(data: string, pid: number): void {
  if (readHostFile(data)?.pid === pid) rmSync(hostFile(data), { force: true });
}

/** @returns null where there is none, or none that can be read. */
export function readHostFile(data: string): HostFile | null {
  const text = readIfThere(hostFile(data));
  if (text === null) return null;
  try {
    const { url, pid } = JSON.parse(text) as Partial<HostFile>;
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null;
  } catch {
    return null;
  }
}

/** The operator's secret, for whoever may read the data directory. */
export const readOperatorSecret = (data: string): string | null => readIfThere(join(data, 'operator.secret'))?.trim() || null;

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
