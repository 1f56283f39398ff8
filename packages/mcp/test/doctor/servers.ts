import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

async function listen(server: Server, stop: () => void): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    stop();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An HTTP server on loopback that answers as told. @returns its origin */
export function serveHttp(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  return listen(server, () => server.closeAllConnections());
}

/** A port that takes connections and answers each with these bytes, or with nothing at all. @returns its origin */
export function serveBytes(bytes: string | null): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    if (bytes !== null) socket.end(bytes);
  });
  return listen(server, () => undefined);
}

/** The origin of a port that nothing listens on. */
export async function closedPort(): Promise<string> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

type Passing = { readonly method: string; readonly path: string; readonly body: string; readonly headers: Record<string, string> };
export type Meddling = {
  /** Changes what goes on to the endpoint. */
  readonly request?: (passing: Passing) => Partial<Passing>;
  /** Changes what comes back; the body is whole. */
  readonly response?: (
    passing: Passing,
    answer: { readonly status: number; readonly headers: Record<string, string>; readonly body: string },
  ) => { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string };
};

/** A proxy before an endpoint that meddles with what passes. @returns its origin */
export function serveMeddling(endpoint: URL, { request: meddle = () => ({}), response: spoil = () => ({}) }: Meddling): Promise<string> {
  return serveHttp(async (incoming, outgoing) => {
    const given: Passing = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      body: (await readAll(incoming)).toString(),
      headers: flat(incoming.headers),
    };
    const passing = { ...given, ...meddle(given) };
    const { 'content-length': _, host: __, ...headers } = passing.headers;
    const onward = httpRequest(new URL(passing.path, endpoint), {
      method: passing.method,
      headers: { ...headers, ...(passing.body && { 'content-length': String(Buffer.byteLength(passing.body)) }) },
    });
    outgoing.once('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    onward.on('response', async (answer) => {
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        return void answer.pipe(outgoing);
      }
      const whole = { status: answer.statusCode ?? 500, headers: flat(answer.headers), body: (await readAll(answer)).toString() };
      const spoilt = { ...whole, ...spoil(passing, whole) };
      const { 'content-length': ___, 'transfer-encoding': ____, ...kept } = spoilt.headers;
      outgoing.writeHead(spoilt.status, { ...kept, 'content-length': Buffer.byteLength(spoilt.body) }).end(spoilt.body);
    });
    onward.end(passing.body || undefined);
  });
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const flat = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
