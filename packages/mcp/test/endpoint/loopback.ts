import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createAgentEndpoint } from '../../src/endpoint/agent-endpoint.ts';
import type { AgentEndpoint, EndpointDeps } from '../../src/endpoint/endpoint-deps.ts';

export type Loopback = { readonly url: URL; readonly endpoint: AgentEndpoint };

/** The endpoint behind a real HTTP server on loopback, closed when the test is over. */
export async function serveEndpoint(deps: EndpointDeps): Promise<Loopback> {
  const endpoint = createAgentEndpoint(deps);
  const server = createServer((request, response) => void endpoint.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await endpoint.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), endpoint };
}

export type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string; readonly json: () => unknown };

/** One HTTP request with exactly these bytes and headers; for what no client library would send. */
export function send(
  url: URL,
  body: string | Buffer | object | undefined,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly isChunked?: boolean } = {},
): Promise<Reply> {
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: options.method ?? 'POST',
        headers: {
          ...(bytes !== undefined && { 'content-type': 'application/json' }),
          ...(bytes !== undefined && !options.isChunked && { 'content-length': String(Buffer.byteLength(bytes)) }),
          accept: 'application/json, text/event-stream',
          ...options.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    if (options.isChunked) request.flushHeaders();
    request.end(bytes);
  });
}

/** A request whose answer is read event by event, and which can be broken off. */
export function openEvents(
  url: URL,
  body: object | undefined,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
) {
  const events: string[] = [];
  const waiters: (() => void)[] = [];
  let isOver = false;
  const wake = () => {
    for (const waiter of waiters.splice(0)) waiter();
  };
  const bytes = body === undefined ? undefined : JSON.stringify(body);
  const request = httpRequest(url, {
    method: options.method ?? 'POST',
    headers: {
      ...(bytes !== undefined && { 'content-type': 'application/json' }),
      accept: 'application/json, text/event-stream',
      ...options.headers,
    },
  });
  let buffer = '';
  const headers = new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request.on('error', (error) => {
      isOver = true;
      wake();
      reject(error);
    });
    request.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        buffer += text;
        const parts = buffer.split('\n\n');
        buffer = parts.pop() ?? '';
        events.push(...parts);
        wake();
      });
      response.on('close', () => {
        isOver = true;
        wake();
      });
      response.on('error', () => undefined);
    });
  });
  headers.catch(() => undefined);
  request.end(bytes);
  return {
    headers,
    break: () => request.destroy(),
    /** The next event's text; undefined when the stream is over. */
    async next(): Promise<string | undefined> {
      while (events.length === 0 && !isOver) await new Promise<void>((resolve) => waiters.push(resolve));
      return events.shift();
    },
    async nextMessage(): Promise<unknown> {
      for (;;) {
        const event = await this.next();
        if (event === undefined) return undefined;
        const line = event.split('\n').find((text) => text.startsWith('data: '));
        if (line !== undefined) return JSON.parse(line.slice(6));
      }
    },
  };
}

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** The body and headers of a request of revision 2026-07-28. */
export function modern(method: string, params: Record<string, unknown> = {}, id: string | number = 1) {
  const name = method === 'tools/call' && typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    body: {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          ...(params._meta as object | undefined),
        },
      },
    },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name },
  };
}

/** Opens a session of a 2025 revision by hand; the headers to speak in it. */
export async function openSession(url: URL, headers: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  const opened = await send(
    url,
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { headers },
  );
  const id = opened.headers['mcp-session-id'];
  if (typeof id !== 'string') throw new Error(`No session: ${opened.status} ${opened.text}`);
  return { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}
