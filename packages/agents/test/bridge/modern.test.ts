import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { callOf, stdioClient } from './stdio-client.ts';

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const modern = (message: { readonly params?: object; readonly [field: string]: unknown }) => ({
  ...message,
  params: { ...message.params, _meta: META },
});
const MARKED = { type: 'object', properties: { where: { type: 'string', 'x-mcp-header': 'Where' } } };

type Seen = { readonly headers: IncomingHttpHeaders; readonly method: string; readonly isClosed: () => boolean };
const seen: Seen[] = [];
let answer: (id: number, method: string, response: ServerResponse) => void;

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { id, method } = JSON.parse(body) as { id: number; method: string };
  let isClosed = false;
  response.on('close', () => (isClosed = !response.writableEnded));
  seen.push({ headers: request.headers, method, isClosed: () => isClosed });
  answer(id, method, response);
});
const reply = (response: ServerResponse, message: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...message }));

let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(() => void server.closeAllConnections());
beforeEach(() => void seen.splice(0));

test('derives the headers of 2026-07-28 from each message, marked arguments included', async () => {
  answer = (id, method, response) =>
    reply(response, { id, result: method === 'tools/list' ? { tools: [{ name: 'find', inputSchema: MARKED }] } : { content: [] } });
  const client = stdioClient(url);
  client.say(modern({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  await client.hear();
  client.say(modern(callOf(2, 'find', { where: 'Malmö' })));
  await client.hear();
  expect(seen[1]?.headers).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'find',
    'mcp-param-where': `=?base64?${Buffer.from('Malmö').toString('base64')}?=`,
  });
});

test('passes the error of the host on, whatever its HTTP status', async () => {
  answer = (id, _, response) => reply(response, { id, error: { code: -32020, message: 'header mismatch' } }, 400);
  const client = stdioClient(url);
  client.say(modern(callOf(1, 'find')));
  expect(await client.hear()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32020, message: 'header mismatch' } });
});

test('cancels a request by closing its stream, and sends no message for it', async () => {
  answer = (_, __, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  const client = stdioClient(url);
  client.say(modern(callOf(1, 'slow')));
  await expect.poll(() => seen.length).toBe(1);
  client.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await expect.poll(() => seen[0]?.isClosed()).toBe(true);
  expect(seen).toHaveLength(1);
});

test('answers with an error where the stream ends without an answer (B2)', async () => {
  answer = (_, __, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n');
  const client = stdioClient(url);
  client.say(modern(callOf(1, 'slow')));
  expect(await client.hear()).toMatchObject({ id: 1, error: { message: expect.stringContaining('may have run') } });
});
