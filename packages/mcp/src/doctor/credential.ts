import type { Finding } from '@countersign/contracts';
import { isRecord } from '../endpoint/rpc.ts';
import { finding } from './report.ts';
import { type Exchange, jsonOf, said } from './wire.ts';

const NEW_ONE = 'Make another: countersign agents token NAME';

/** Secrets that are no credential of an agent or a principal, by their prefix; they are not sent. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  cso_: "the operator's secret, which is for the HTTP API only",
  css_: "a browser session's secret",
  csl_: 'the token of a login link',
};

/** A token that could only be refused, or that can't stand in a header at all. */
export function oddToken(token: string): Finding | null {
  const kind = ELSEWHERE[token.slice(0, 4)];
  if (kind !== undefined) {
    const message = `The token begins with ${token.slice(0, 4)}: it is ${kind}. It was not sent.`;
    return finding('token.malformed', 'error', message, `An agent's begins with csa_, a principal's with csp_. ${NEW_ONE}`);
  }
  if (/^[\x21-\x7e]{1,512}$/.test(token)) return null;
  const message =
    'The token is empty, longer than 512 characters, or holds blanks or other characters that no header can carry. It was not sent.';
  return finding('token.malformed', 'error', message, 'Copy it again, without quotes, line ends and the word Bearer.');
}

/** What a 401 means: the cause as the host names it, and what to do. */
export function credentialFinding({ text }: Exchange, token: string | undefined): Finding {
  const body = jsonOf(text);
  const { reason, error_description: description } = isRecord(body) ? body : {};
  const words = typeof description === 'string' ? said(description) : 'The host gives no reason.';
  if (token === undefined) {
    const message = `It wants a credential even to look in (401), which a Countersign host does not: something before it does. ${words}`;
    return finding('token.missing', 'error', message, 'Pass one with --token, or ask whoever runs what stands before the host.');
  }
  switch (reason) {
    case 'revoked':
      return finding('token.revoked', 'error', `${words} It opens nothing any more.`, NEW_ONE);
    case 'expired':
      return finding('token.expired', 'error', `${words} It opens nothing any more.`, NEW_ONE);
    case 'suspended':
      return finding(
        'agent.suspended',
        'error',
        `${words} Its credentials open nothing until it is admitted again.`,
        'Its principal lifts it: countersign agents admit NAME',
      );
    case 'unknown':
      return finding(
        'token.unknown',
        'error',
        'This host does not know the token: it was mistyped, or issued by another host or data directory.',
        `Copy it again. ${NEW_ONE}`,
      );
    case 'malformed':
      return finding('token.malformed', 'error', words, 'Copy it again, without quotes, line ends and the word Bearer.');
    default:
      return finding('token.refused', 'error', `The token is refused (401). ${words}`, NEW_ONE);
  }
}
