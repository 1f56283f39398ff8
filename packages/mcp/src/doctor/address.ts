import { lookup as resolveName } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { Finding } from '@countersign/contracts';
import { finding } from './report.ts';

/** The addresses of a name; rejects where it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export const systemLookup: Lookup = async (name) => (await resolveName(name, { all: true })).map(({ address }) => address);

/**
 * The endpoint that a URL stands for. A bare origin names the host, as it does for every other command: its endpoint is `/mcp`.
 * @returns null where the text is no http or https URL
 */
export function endpointOf(given: string): URL | null {
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  if (url.pathname === '/' && url.search === '') url.pathname = '/mcp';
  return url;
}

/** Addresses that are nobody else's: this machine, private networks (RFC 1918, 4193, 6598) and the local link. */
const OWN = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  OWN.addSubnet(network, prefix, 'ipv4');
}
OWN.addAddress('0.0.0.0', 'ipv4');
for (const [network, prefix] of [
  ['::1', 128],
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  OWN.addSubnet(network, prefix, 'ipv6');
}

/** Whether an address lies on networks that strangers share. */
export const isPublicAddress = (address: string): boolean => !OWN.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether what is sent to this URL goes over networks that strangers share, readable by whoever carries it. A name that does not resolve is no address. */
export async function isExposed(url: URL, lookup: Lookup): Promise<boolean> {
  if (url.protocol === 'https:') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return false;
  const addresses = isIP(host) ? [host] : await lookup(host).catch(() => []);
  return addresses.some(isPublicAddress);
}

/** `isSent`: whether a token would have to be withheld. */
export function exposedFinding(url: URL, hasToken: boolean): Finding {
  const secure = `https://${url.host}${url.pathname}`;
  return hasToken
    ? finding(
        'endpoint.insecure',
        'error',
        `${url.host} is a public address and the URL is plain http: whoever carries the traffic can read your token and use it. It was not sent.`,
        `Use ${secure}. If this token was sent this way before, revoke it and make another.`,
      )
    : finding(
        'endpoint.insecure',
        'warning',
        `${url.host} is a public address and the URL is plain http: a token sent here can be read by whoever carries the traffic.`,
        `Use ${secure} before you give a client a token.`,
      );
}
