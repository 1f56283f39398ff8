import { CelFailure } from './cel-values.ts';

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NUMERIC_LABEL = /^(0x[0-9a-f]*|\d+)$/;
const DOTTED_QUAD = /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/**
 * The host of a URL: lower case, without user, port or the root's dot. Only what every URL reader understands alike is read.
 * @throws CelFailure for anything else: no `scheme://`, backslashes, blanks, two `@`, encoded or non-ASCII hosts, IPv4 in odd spellings
 * (`127.1`, `0x7f000001`), a port that is no number
 * @example host('https://ada@Example.org:8443/a?b#c') === 'example.org'
 */
export function host(url: string): string {
  if (/[\s\\\p{Cc}]/u.test(url)) throw new CelFailure('is a URL with blanks or backslashes');
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(url)?.[1];
  if (authority === undefined) throw new CelFailure('is not a URL with a host');
  const at = authority.lastIndexOf('@');
  if (authority.indexOf('@') !== at) throw new CelFailure('is a URL with two `@`');
  const place = authority.slice(at + 1);
  const bracketed = /^(\[[0-9a-f:.]+\])(:\d{1,5})?$/i.exec(place)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  const [name, port, ...more] = place.split(':');
  if (more.length > 0 || (port !== undefined && !/^\d{0,5}$/.test(port))) throw new CelFailure('is a URL with an odd port');
  return hostName(name ?? '');
}

/**
 * The domain of one plain e-mail address, lower case.
 * @throws CelFailure for a display name, two `@`, a quoted local part, a list of addresses or a non-ASCII domain
 * @example emailDomain('Ada.Marsh+x@Example.ORG') === 'example.org'
 */
export function emailDomain(address: string): string {
  const [local, domain, ...more] = address.split('@');
  if (local === undefined || domain === undefined || more.length > 0 || !/^[^\s"(),:;<>[\\\]]{1,64}$/.test(local)) {
    throw new CelFailure('is not one plain e-mail address');
  }
  return hostName(domain);
}

function hostName(raw: string): string {
  const name = raw.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  const isNumeric = NUMERIC_LABEL.test(labels.at(-1) ?? '');
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)) || (isNumeric && !DOTTED_QUAD.test(name))) {
    throw new CelFailure('has a host that not every reader understands alike');
  }
  return name;
}
