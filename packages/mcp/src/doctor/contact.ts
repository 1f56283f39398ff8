/** The first request: whether anything answers, whether it speaks MCP, whether it is a Countersign host, and whether it takes the credential. */
import { type Finding, LANE_HEADER } from '@countersign/contracts';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '../endpoint/rpc.ts';
import { CLIENT, modernRequest } from './calls.ts';
import { credentialFinding, oddToken } from './credential.ts';
import { finding } from './report.ts';
import { unreachable } from './unreachable.ts';
import { type Exchange, jsonOf, messageOf, said, type Wire } from './wire.ts';

export type Contact =
  | { readonly kind: 'open' }
  /** The endpoint is a Countersign host, and does not take this credential. */
  | { readonly kind: 'credential refused'; readonly finding: Finding }
  /** Nothing more can be asked there. */
  | { readonly kind: 'closed'; readonly isReached: boolean; readonly finding: Finding };

export async function makeContact(wire: Wire, url: URL, token: string | undefined, timeoutMs: number): Promise<Contact> {
  const odd = token === undefined ? null : oddToken(token);
  // Whether the host is there matters less than that this secret stays here.
  if (odd) return { kind: 'closed', isReached: true, finding: odd };
  let answer: Exchange;
  try {
    const { headers, body } = modernRequest('server/discover', {}, 1);
    answer = await wire.send(url, { headers, body });
  } catch (error) {
    return { kind: 'closed', isReached: false, finding: unreachable(url, error, timeoutMs) };
  }
  const isOurs = answer.headers.has(LANE_HEADER) || namesItself(answer);
  if (answer.status === 401) {
    const refused = credentialFinding(answer, token);
    return isOurs ? { kind: 'credential refused', finding: refused } : { kind: 'closed', isReached: true, finding: refused };
  }
  const problem = statusFinding(url, answer) ?? (await pathFinding(wire, url, answer)) ?? (isOurs ? null : notOurs(url));
  return problem ? { kind: 'closed', isReached: true, finding: problem } : { kind: 'open' };
}

function statusFinding(url: URL, { status, headers, text }: Exchange): Finding | null {
  if (status >= 300 && status < 400) {
    const target = headers.get('location');
    const to = target !== null && URL.canParse(target, url.href) ? said(new URL(target, url).href) : 'another address';
    return finding(
      'endpoint.redirects',
      'error',
      `${url.href} sends clients on to ${to} (${status}); most of them do not follow, and none should take your credential along.`,
      `If you trust that address, give it to your client: ${to}`,
    );
  }
  const problem = jsonOf(text);
  const detail = isRecord(problem) && typeof problem.detail === 'string' ? ` It says: “${said(problem.detail)}”` : '';
  if (status === 403) {
    const isOfName = isRecord(problem) && problem.code === 'origin.refused';
    return isOfName
      ? finding(
          'endpoint.refused',
          'error',
          `The host does not answer to the name ${url.host}.${detail}`,
          'Use the public_url of its config, or set public_url to this address.',
        )
      : finding(
          'endpoint.refused',
          'error',
          `Something at ${url.host} forbids this request (403).${detail}`,
          'Ask whoever runs what stands before the host: a proxy or a firewall.',
        );
  }
  if (status === 429)
    return finding('endpoint.failing', 'error', `Too many requests came from here (429).${detail}`, 'Wait a minute and ask again.');
  if (status >= 500) {
    return finding(
      'endpoint.failing',
      'error',
      `${url.href} answers with an error of its own (${status}).${detail}`,
      "Look into the host's log, or into that of a proxy before it.",
    );
  }
  return null;
}

/** Nothing of MCP at this path: wrong path on a Countersign host, a missing page, or another kind of server. */
async function pathFinding(wire: Wire, url: URL, answer: Exchange): Promise<Finding | null> {
  if (messageOf(answer)) return null;
  const { status } = answer;
  const usual = new URL('/mcp', url);
  const isThere = usual.pathname !== url.pathname && (await isEndpoint(wire, usual));
  if (isThere) {
    return finding(
      'endpoint.wrong_url',
      'error',
      `There is no MCP endpoint at ${url.href} (${status}); this host has it at ${usual.href}.`,
      `Use ${usual.href}`,
    );
  }
  if (status === 404 || status === 405) {
    const message = `A server answers at ${url.host}, and it has nothing for MCP at ${url.pathname} (${status}).`;
    return finding(
      'endpoint.wrong_url',
      'error',
      message,
      'Compare the URL with the one that `countersign start` prints; a host has its endpoint at /mcp.',
    );
  }
  if (await speaksLegacy(wire, url)) return null;
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'no content type';
  const message = `What answers at ${url.href} is not an MCP server: it sent ${status} and ${said(type, 60)}, no JSON-RPC message.`;
  return finding('endpoint.not_mcp', 'error', message, 'Check host and port: another program listens there.');
}

/** By a GET, which an endpoint of ours refuses and marks with a lane; the credential goes along, to the host that it was given for. */
const isEndpoint = (wire: Wire, url: URL): Promise<boolean> =>
  wire.send(url, { method: 'GET', headers: { accept: 'application/json' } }).then(
    ({ headers }) => headers.has(LANE_HEADER),
    () => false,
  );

/** A proxy may drop headers that it does not know; what a server calls itself is only good for this one question. */
function namesItself(answer: Exchange): boolean {
  const result = messageOf(answer)?.result;
  const meta = isRecord(result) && isRecord(result._meta) ? result._meta : {};
  const info = meta[SERVER_INFO_META_KEY];
  return isRecord(info) && info.name === 'countersign';
}

/** Some servers of the 2025 revisions answer what they do not know with no message at all. */
async function speaksLegacy(wire: Wire, url: URL): Promise<boolean> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
  const hello = wire.send(url, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
  return hello.then(
    (answer) => messageOf(answer) !== undefined,
    () => false,
  );
}

/** There may be lanes behind something that drops them; without them, nothing here can be told. */
export const notOurs = (url: URL): Finding =>
  finding(
    'endpoint.not_countersign',
    'error',
    `${url.href} is an MCP server, and not a Countersign host: there are no lanes, and nobody is asked before a tool runs.`,
    'If your agents should be asked about, put this server behind a host (servers in its config) and point them at the host.',
  );
