import type { Client } from '@countersign/client';
import type { Command } from 'commander';
import { dataFolder, readHostFile, readOperatorSecret } from './data-folder.ts';
import type { Io } from './io.ts';
import type { AnyFailure } from './print.ts';

/** The options of every command that talks to a host. */
export type RemoteFlags = { readonly url?: string; readonly data?: string; readonly as?: string };

export const withRemote = (command: Command): Command =>
  command
    .option('--url <url>', 'where the host is (default: COUNTERSIGN_URL, else the host that runs on --data)')
    .option('--data <dir>', 'the data directory of a host on this machine (default: .countersign)');

/** For the commands that a principal's token is needed for. */
export const withAs = (command: Command): Command =>
  command.option(
    '--as <principal>',
    "be this principal without a token of theirs: with the operator's secret a short-lived one is made, used once and revoked. What you do is recorded as done by that principal",
  );

/**
 * Whose credential a command is sent with. `principal`: a token. `operator`: the operator's secret. `operator_first` and `principal_first`:
 * both may do it, and the other stands in for the one that is missing.
 */
export type Need = 'principal' | 'operator' | 'operator_first' | 'principal_first';

export type Remote = { readonly client: Client; readonly url: string };
type Opened<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: AnyFailure };

/** Connects to the host that the options, the environment or the data directory name, and runs `work` with it. */
export async function withClient(
  io: Io,
  flags: RemoteFlags,
  need: Need,
  work: (remote: Remote) => Promise<Opened<undefined>>,
): Promise<Opened<undefined>> {
  const place = findHost(io, flags);
  if (!place.ok) return place;
  const { createClient } = await import('@countersign/client');
  const { url } = place.value;
  if (flags.as !== undefined && need !== 'operator') return asPrincipal(createClient, place.value, flags.as, work);
  const token = credentialFor(io, place.value, need);
  if (!token.ok) return token;
  return work({ client: createClient({ url, token: token.value }), url });
}

type Place = { readonly url: string; readonly operatorSecret: string | null };

/** Where the host is, and the operator's secret if it is that host's. */
export function findHost(io: Io, flags: RemoteFlags): Opened<Place> {
  const data = dataFolder(io.cwd, flags.data);
  const local = readHostFile(data);
  const url = flags.url ?? io.env.COUNTERSIGN_URL ?? local?.url;
  if (url === undefined) {
    const message = `No host runs on ${data}. Start one with \`countersign start\`, or name another with COUNTERSIGN_URL.`;
    return { ok: false, error: { code: 'client.unreachable', message } };
  }
  if (!URL.canParse(url)) return { ok: false, error: { code: 'input.invalid', message: `${url} is not a URL.` } };
  // The secret in a data directory is sent to the host of that directory and to nobody else.
  const isLocal = local !== null && new URL(local.url).origin === new URL(url).origin;
  const operatorSecret = io.env.COUNTERSIGN_OPERATOR_SECRET ?? (isLocal ? readOperatorSecret(data) : null);
  return { ok: true, value: { url, operatorSecret } };
}

function credentialFor(io: Io, { operatorSecret }: Place, need: Need): Opened<string> {
  const token = io.env.COUNTERSIGN_TOKEN ?? null;
  const found = {
    principal: token,
    operator: operatorSecret,
    operator_first: operatorSecret ?? token,
    principal_first: token ?? operatorSecret,
  }[need];
  if (found !== null) return { ok: true, value: found };
  return { ok: false, error: { code: 'credential.missing', message: need === 'principal' ? NO_TOKEN : NO_OPERATOR } };
}

const NO_TOKEN =
  "This needs a principal's token in COUNTERSIGN_TOKEN. `countersign login NAME --token` prints one; or, on the host's own machine, use --as NAME.";
const NO_OPERATOR =
  'This needs the operator: run it where you may read operator.secret in the data directory (--data), or set COUNTERSIGN_OPERATOR_SECRET.';

async function asPrincipal(
  createClient: (options: { url: string; token: string }) => Client,
  { url, operatorSecret }: Place,
  principal: string,
  work: (remote: Remote) => Promise<Opened<undefined>>,
): Promise<Opened<undefined>> {
  if (operatorSecret === null) return { ok: false, error: { code: 'credential.missing', message: NO_OPERATOR } };
  const operator = createClient({ url, token: operatorSecret });
  const issued = await operator.principals.issueToken(principal, { label: 'countersign --as', ttl_days: 1 });
  if (!issued.ok) return issued;
  try {
    return await work({ client: createClient({ url, token: issued.value.token }), url });
  } finally {
    await operator.credentials.revoke(issued.value.id);
  }
}
