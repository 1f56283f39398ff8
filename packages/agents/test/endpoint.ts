import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';

export type SeenCall = { readonly tool: string; readonly args: unknown };
type Answer = (call: SeenCall, kill: () => void) => CallToolResult | Promise<CallToolResult>;

/** A 2025-era MCP endpoint with sessions, which can be stopped and started again on its port without them. */
export type Endpoint = {
  readonly url: string;
  readonly calls: SeenCall[];
  /** Bodies of POSTs as they came. */
  readonly bodies: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
};

export const TOKEN = 'csa_test';

export async function startEndpoint(answer: Answer, tools: readonly Tool[] = []): Promise<Endpoint> {
  const calls: SeenCall[] = [];
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let http: HttpServer;
  let port = 0;

  const start = async () => {
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    http = createServer(async (request, response) => {
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(401).end('unknown credential');
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      if (request.method === 'POST') {
        bodies.push(body);
        headers.push(request.headers);
      }
      const id = request.headers['mcp-session-id'];
      if (typeof id === 'string' && !sessions.has(id)) return response.writeHead(404).end('no such session');
      const transport = typeof id === 'string' ? sessions.get(id)! : await openSession(sessions);
      await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
    });
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    port = (http.address() as AddressInfo).port;
  };

  async function openSession(sessions: Map<string, StreamableHTTPServerTransport>) {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new Server({ name: 'endpoint', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const call = { tool: params.name, args: params.arguments };
      calls.push(call);
      return answer(call, () => http.closeAllConnections());
    });
    await server.connect(transport as Transport);
    return transport;
  }

  const stop = async () => {
    const closed = new Promise((resolve) => http.close(resolve));
    http.closeAllConnections();
    await closed;
  };
  await start();
  return { url: `http://127.0.0.1:${port}/mcp`, calls, bodies, headers, stop, start };
}

export const text = (words: string, more: Partial<CallToolResult> = {}): CallToolResult => ({
  content: [{ type: 'text', text: words }],
  ...more,
});
export const heldAs = (id: string): CallToolResult =>
  text(`Not executed. Held as ${id}.`, {
    _meta: {
      'io.countersign/decision': { id, state: 'pending', url: 'http://x/decisions/1' },
      'io.countersign/outcome': { code: 'pending' },
    },
  });
export const endedBy = (code: string): CallToolResult =>
  text('Not executed.', { isError: true, _meta: { 'io.countersign/outcome': { code } } });
