import { afterEach, expect, test } from 'vitest';
import { type Endpoint, startEndpoint, TOKEN, text } from '../endpoint.ts';
import { callOf, INITIALIZE, INITIALIZED, stdioClient } from './stdio-client.ts';

let endpoint: Endpoint | undefined;
afterEach(() => endpoint?.stop());

async function connected() {
  endpoint = await startEndpoint(({ tool, args }) => text(`${tool} ${JSON.stringify(args)}`));
  const client = stdioClient(endpoint.url, { token: TOKEN });
  client.say(INITIALIZE);
  expect(await client.hear()).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
  client.say(INITIALIZED);
  return { client, endpoint };
}

test('carries a session from opening to end', async () => {
  const { client, endpoint } = await connected();
  client.say(callOf(2, 'count'));
  expect(await client.hear()).toMatchObject({ id: 2, result: { content: [{ type: 'text', text: 'count {}' }] } });
  expect(endpoint.headers.at(-1)).toMatchObject({ 'mcp-protocol-version': '2025-06-18', 'mcp-session-id': expect.any(String) });
  client.end();
  await client.ended;
});

test('sends the very bytes that the client wrote (B1)', async () => {
  const { client, endpoint } = await connected();
  const line =
    '{"jsonrpc":"2.0", "id":2,"method":"tools/call","params":{"name":"a","arguments":{"n":1e400,"n":2,"__proto__":{"x":12345678901234567890}}}}';
  client.say(line);
  await client.hear();
  expect(endpoint.bodies.at(-1)).toBe(line);
});

test('opens the session again after the host was restarted, without telling the client (B3)', async () => {
  const { client, endpoint } = await connected();
  client.say(callOf(2, 'first'));
  await client.hear();
  await endpoint.stop();
  await expect.poll(() => client.logged.length).toBeGreaterThan(0);
  await endpoint.start();
  client.say(callOf(3, 'second'));
  expect(await client.hear()).toMatchObject({ id: 3, result: { content: [{ text: 'second {}' }] } });
  expect(endpoint.calls.map(({ tool }) => tool)).toEqual(['first', 'second']);
});

test('answers a request that cannot reach the host with an error that names the address (B2)', async () => {
  const { client, endpoint } = await connected();
  await endpoint.stop();
  client.say(callOf(2, 'count'));
  expect(await client.hear()).toMatchObject({ id: 2, error: { code: -32603, message: expect.stringContaining(endpoint.url) } });
});

test('says so when the host does not accept the credential (B2)', async () => {
  endpoint = await startEndpoint(() => text('never'));
  const client = stdioClient(endpoint.url, { token: 'csa_wrong' });
  client.say(INITIALIZE);
  expect(await client.hear()).toMatchObject({ id: 1, error: { message: expect.stringContaining('HTTP 401') } });
});

test('answers lines that are no message, and batches, itself', async () => {
  const { client, endpoint } = await connected();
  client.say('nonsense');
  expect(await client.hear()).toMatchObject({ id: null, error: { code: -32700 } });
  client.say([callOf(2, 'count')]);
  expect(await client.hear()).toMatchObject({ id: null, error: { code: -32600 } });
  expect(endpoint.calls).toEqual([]);
});

test('still answers what is in flight when the client says no more', async () => {
  let answer = () => {};
  endpoint = await startEndpoint(() => new Promise((resolve) => (answer = () => resolve(text('late')))));
  const client = stdioClient(endpoint.url, { token: TOKEN });
  client.say(INITIALIZE);
  await client.hear();
  client.say(INITIALIZED);
  client.say(callOf(2, 'slow'));
  client.end();
  await expect.poll(() => endpoint?.calls.length).toBe(1);
  answer();
  expect(await client.hear()).toMatchObject({ id: 2, result: { content: [{ text: 'late' }] } });
  await client.ended;
});

test('ends at once when it is aborted', async () => {
  endpoint = await startEndpoint(() => new Promise(() => {}));
  const over = new AbortController();
  const client = stdioClient(endpoint.url, { token: TOKEN, signal: over.signal });
  client.say(INITIALIZE);
  await client.hear();
  client.say(callOf(2, 'slow'));
  await expect.poll(() => endpoint?.calls.length).toBe(1);
  over.abort();
  await client.ended;
});
