/** Requests to the byte, by Node's own client: nothing here helps a test to be well-formed. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; of an event stream, its last message. */
  readonly json: () => unknown;
  /** Milliseconds from the last byte sent to the last byte of the answer. */
  readonly ms: number;
};
export type RawRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
};

export const keptConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request and reads the whole answer. */
export function sendRaw(url: string, { method = 'POST', headers = {}, body, agent }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) };
    const request = httpRequest(url, { method, headers: { ...headers, ...length }, ...(agent && { agent }) });
    const begin = performance.now();
    request.once('error', reject);
    request.once('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        const ms = performance.now() - begin;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => readJson(text), ms });
      });
    });
    request.end(bytes);
  });
}

function readJson(text: string): unknown {
  const events = [...text.matchAll(/^data: (.+)$/gm)].map((match) => match[1] ?? '');
  return JSON.parse(events.at(-1) ?? text);
}

const ACCEPT = 'application/json, text/event-stream';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
};

export const bearer = (token: string | null): Readonly<Record<string, string>> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

/** Headers and body of a tools/call of revision 2026-07-28. `args` is JSON text and goes out as it stands. */
export function modernCall(name: string, args: string, token: string | null): RawRequest {
  const params = `{"name":${JSON.stringify(name)},"arguments":${args},"_meta":${JSON.stringify(ENVELOPE)}}`;
  return {
    headers: {
      'content-type': 'application/json',
      accept: ACCEPT,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=`,
      ...bearer(token),
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  };
}

/** Opens a session of revision 2025-11-25. @returns the headers that its requests carry. */
export async function openSession(mcp: string, token: string | null): Promise<Readonly<Record<string, string>>> {
  const headers = { 'content-type': 'application/json', accept: ACCEPT, ...bearer(token) };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '1' } };
  const answer = await sendRaw(mcp, { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }) });
  const session = answer.headers['mcp-session-id'];
  if (typeof session !== 'string') throw new Error(`No session: ${answer.status} ${answer.text}`);
  const within = { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  await sendRaw(mcp, { headers: within, body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) });
  return within;
}

/** A tools/call in such a session. */
export const legacyCall = (name: string, args: string, session: Readonly<Record<string, string>>): RawRequest => ({
  headers: session,
  body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`,
});
