import { dataFolder, readHostFile, readOperatorSecret } from './data-folder.ts';
import type { Io } from './io.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * What a host that `doctor` looks at may be asked about itself with: the operator's secret, else a principal's token; null where neither is at
 * hand. The address may be anybody's, so what stands in the environment goes only to the host of the data directory, to that of
 * COUNTERSIGN_URL, and to this machine, and what stands in a data directory only to its own host. `token`, which is looked with, goes there anyway.
 */
export function insideSecret(
  io: Pick<Io, 'env' | 'cwd'>,
  url: string,
  flags: { readonly token?: string | undefined; readonly data?: string },
): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, hostname } = new URL(url);
  const isAt = (other: string | undefined): boolean => other !== undefined && URL.canParse(other) && new URL(other).origin === origin;
  const data = dataFolder(io.cwd, flags.data);
  const isOfData = isAt(readHostFile(data)?.url);
  const isKnown = isOfData || isAt(io.env.COUNTERSIGN_URL) || LOOPBACK.test(hostname);
  const { COUNTERSIGN_OPERATOR_SECRET: operator, COUNTERSIGN_TOKEN: own } = isKnown ? io.env : {};
  const principal = [flags.token, own].find((token) => token?.startsWith('csp_'));
  return operator ?? (isOfData ? readOperatorSecret(data) : null) ?? principal ?? null;
}
