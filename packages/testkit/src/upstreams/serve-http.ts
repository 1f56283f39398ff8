import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

const BODY_BYTES = 4 * 1024 * 1024;

/** One POST as it arrived, before the server sees it. */
export interface SeenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly message: unknown;
}

/**
 * What a test may do to a request: answer it in the server's place; `drop` it: the connection breaks and nothing runs; `lose-answer`:
 * it runs, then the connection breaks without a byte; `cut-stream`: it runs, but its event stream, already open, breaks before the
 * answer (the SDKs' clients don't notice and wait for their own timeout).
 */
export type Intervention =
  | 'drop'
  | 'lose-answer'
  | 'cut-stream'
  | { readonly status: number; readonly type: string; readonly body: string };

/** Sees every request first, and may hold it: the request waits for the promise. */
export type OnRequest = (request: SeenRequest) => Intervention | undefined | Promise<Intervention | undefined>;

interface Connectable {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

export interface ServedHttp {
  readonly url: string;
  /** Breaks open connections too. */
  readonly close: () => Promise<void>;
}

/**
 * Serves MCP over Streamable HTTP on the loopback interface (`port` 0: any free one). Stateless: each request has its own server and
 * transport, so no answer can reach another caller and a restart loses no session. `newServer` gets the response that it writes to.
 */
export async function serveHttp(
  port: number,
  newServer: (response: ServerResponse) => Connectable,
  onRequest?: OnRequest,
): Promise<ServedHttp> {
  const http = createServer((request, response) => {
    serveRequest(request, response, newServer, onRequest).catch((error: unknown) => {
      console.error(error);
      refuse(response, 500, 'Internal error');
    });
  });
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  newServer: (response: ServerResponse) => Connectable,
  onRequest: OnRequest | undefined,
): Promise<void> {
  // A page elsewhere whose host name was pointed at this machine must not reach us.
  const host = new URL(`http://${request.headers.host ?? 'none'}`).hostname;
  if (host !== '127.0.0.1' && host !== 'localhost') return refuse(response, 403, `Unknown host ${host}`);
  if (request.url !== '/mcp') return refuse(response, 404, 'The endpoint is /mcp');
  if (request.method !== 'POST') return refuse(response.setHeader('Allow', 'POST'), 405, 'This server keeps no sessions: only POST');
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 413, 'The body is too long');
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return refuse(response, 400, 'The body is not JSON', -32_700);
  }

  const intervention = await onRequest?.({ headers: request.headers, message });
  if (intervention === 'drop') return void response.destroy();
  if (typeof intervention === 'object') {
    response.writeHead(intervention.status, { 'content-type': intervention.type }).end(intervention.body);
    return;
  }
  const server = newServer(response);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: intervention === 'lose-answer' });
  if (intervention !== undefined) transport.send = async () => void response.destroy();
  response.once('close', () => void server.close());
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response, message);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, status: number, text: string, code = -32_600): void {
  if (response.headersSent) return void response.destroy();
  const error = { jsonrpc: '2.0', id: null, error: { code, message: text } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}
