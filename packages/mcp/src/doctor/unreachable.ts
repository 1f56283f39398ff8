import type { Finding } from '@countersign/contracts';
import { isRecord } from '../endpoint/rpc.ts';
import { finding } from './report.ts';
import { said } from './wire.ts';

/** By the code of the socket or of undici, or by its message where it has no code: what it means, and what to do. */
const CAUSES: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ['nothing listens there (connection refused)', 'Start the host (countersign start), or correct host and port.'],
  ENOTFOUND: ['the name does not resolve', 'Correct the host name.'],
  EAI_AGAIN: ['the name could not be resolved just now', 'Check the network, then ask again.'],
  EHOSTUNREACH: ['no route leads there', 'Check the network, or correct the address.'],
  ENETUNREACH: ['no route leads there', 'Check the network, or correct the address.'],
  ECONNRESET: ['the connection was broken off', 'Check that the port speaks http, or https where the URL says so.'],
  UND_ERR_SOCKET: ['the connection was broken off', 'Check that the port speaks http, or https where the URL says so.'],
  'bad port': ['web standards keep clients from that port', 'Give the host another port.'],
  EPROTO: ['it does not speak TLS', 'Use http:// if it is on this machine, or correct the port.'],
};

/** Why nothing answered, from the error that the request failed with. */
export function unreachable(url: URL, error: unknown, timeoutMs: number): Finding {
  const cause = error instanceof Error && isRecord(error.cause) ? error.cause : error;
  const { code, name, message } = cause as { readonly code?: unknown; readonly name?: unknown; readonly message?: unknown };
  const isLate = name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT';
  const [why, fix] = isLate
    ? [`no answer within ${timeoutMs / 1000} s`, 'Check that the host runs and that nothing between drops the traffic.']
    : (CAUSES[String(code ?? message)] ?? otherCause(String(code ?? name)));
  return finding('endpoint.unreachable', 'error', `${url.href} can't be reached: ${why}.`, fix);
}

function otherCause(code: string): readonly [string, string] {
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code)) {
    return [
      `its certificate is not trusted (${said(code, 60)})`,
      'Renew or correct the certificate; NODE_EXTRA_CA_CERTS names one of your own.',
    ];
  }
  if (code.startsWith('ERR_SSL')) return ['it does not speak TLS', 'Use http:// if it is on this machine, or correct the port.'];
  if (code.startsWith('HPE_')) return ['what answers is not HTTP', 'Check host and port: another program listens there.'];
  return [`the request failed (${said(code, 60)})`, 'Check the address and the network.'];
}
