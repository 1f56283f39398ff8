import { isIP } from 'node:net';
import type { Failure } from '@countersign/contracts';
import type { ServerSettings } from './ports.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');
const isUnspecified = (host: string): boolean => host === '0.0.0.0' || host === '::';
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** `port` is where the server really listens; the setting may be 0. */
type Address = Pick<ServerSettings, 'publicUrl' | 'host' | 'port'>;

const allowedBy = ({ publicUrl, host, port }: Address): { readonly hosts: ReadonlySet<string>; readonly origins: ReadonlySet<string> } => {
  const url = new URL(publicUrl);
  const defaultPort = url.protocol === 'https:' ? '443' : '80';
  const names = isUnspecified(host) ? [] : [inUrl(host)];
  // A Host that names loopback comes from this machine: a page elsewhere that was rebound to us still sends its own name.
  if (isLoopback(host) || isUnspecified(host)) names.push(...LOOPBACK_NAMES);
  const direct = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  const fromUrl = url.port === '' ? [url.hostname, `${url.hostname}:${defaultPort}`] : [url.host];
  const hosts = new Set([...direct, ...fromUrl].map((name) => name.toLowerCase()));
  const origins = new Set([url.origin, ...direct.map((name) => new URL(`http://${name}`).origin)]);
  return { hosts, origins };
};

const refused = (what: 'Host' | 'Origin'): Failure => ({
  code: 'origin.refused',
  message: `This server does not answer to that ${what}. Its address is the public_url of its config.`,
});

type Headers = { readonly host?: string | undefined; readonly origin?: string | undefined };

/**
 * Refuses requests that another site's page, or a name rebound to this address, could have sent (DESIGN section 16).
 * A request without Origin comes from a program or a plain navigation and passes; `Origin: null` does not.
 */
export const createOriginCheck = (): ((address: Address, headers: Headers) => Failure | null) => {
  let known: { readonly key: string; readonly allowed: ReturnType<typeof allowedBy> } | undefined;
  return (address, { host, origin }) => {
    const key = `${address.publicUrl} ${address.host} ${address.port}`;
    if (known?.key !== key) known = { key, allowed: allowedBy(address) };
    if (!known.allowed.hosts.has((host ?? '').toLowerCase())) return refused('Host');
    return origin === undefined || known.allowed.origins.has(origin) ? null : refused('Origin');
  };
};
