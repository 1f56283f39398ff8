import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { httpServer, rawServer, said, startedHost } from '../fixtures/host.ts';
import { newServer, tools } from '../fixtures/modern-server.mjs';

const REVISION = '2026-07-28';

async function serveModern() {
  const hung: AbortSignal[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const handler = createMcpHandler(() => newServer((signal) => void hung.push(signal)), { legacy: 'reject' });
  const serve = toNodeHandler(handler);
  const server = createServer((request, response) => {
    headers.push(request.headers);
    void serve(request as Parameters<typeof serve>[0], response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const calls = () => headers.filter((each) => each['mcp-method'] === 'tools/call');
  return { url: `http://127.0.0.1:${port}/mcp`, calls, hung, notify: handler.notify };
}

const modernStdio = () => rawServer({}, { args: [fileURLToPath(new URL('../fixtures/modern-server.mjs', import.meta.url))] });

describe('a 2026-07-28 upstream over HTTP', () => {
  it('gets the envelope in each call, and headers that repeat the body', async () => {
    const server = await serveModern();
    const { call } = await startedHost({ api: httpServer(server.url) });
    const args = { region: ' Zürich', deep: { count: 3 } };
    const meta = { traceparent: '00-1', 'io.modelcontextprotocol/clientInfo': { name: 'forged', version: '0' } };
    expect(said(await call('api__echo', args, { meta }))).toMatchObject({
      arguments: args,
      meta: { traceparent: '00-1', 'io.countersign/idempotency-key': 'key-1' },
    });
    expect(server.calls()[0]).toMatchObject({
      'mcp-protocol-version': REVISION,
      'mcp-name': 'echo',
      'mcp-param-region': `=?base64?${Buffer.from(' Zürich').toString('base64')}?=`,
      'mcp-param-count': '3',
    });
    expect(server.calls()[0]).not.toHaveProperty('mcp-session-id');
  });

  it('has a tool refused alone whose header marks no call could carry', async () => {
    const server = await serveModern();
    const { upstreams } = await startedHost({ api: httpServer(server.url) });
    expect(upstreams.tools().map(({ name }) => name)).toEqual(['climb', 'echo', 'hang', 'rounds']);
    expect(upstreams.status()[0]?.refused).toEqual([{ name: 'bad_header', reason: expect.stringContaining('x-mcp-header') }]);
  });

  it('has its opaque state passed on and back byte for byte', async () => {
    const server = await serveModern();
    const { call } = await startedHost({ api: httpServer(server.url) });
    const first = await call('api__rounds');
    expect(first).toMatchObject({ ok: true, value: { result: { resultType: 'input_required' } } });
    const { requestState } = (first.ok && first.value.kind === 'result' ? first.value.result : {}) as { requestState: string };
    expect(requestState).toBe('"line\n😀\\"');
    expect(said(await call('api__rounds', {}, { resume: { requestState } }))).toEqual({ state: requestState });
  });

  it('reports progress', async () => {
    const server = await serveModern();
    const { call } = await startedHost({ api: httpServer(server.url) });
    const seen: unknown[] = [];
    expect(said(await call('api__climb', {}, { onProgress: (progress) => seen.push(progress) }))).toBe('up');
    expect(seen).toMatchObject([{ progress: 1 }, { progress: 2 }]);
  });

  it('learns by the closing of the stream that nobody waits any more', async () => {
    const server = await serveModern();
    const { call } = await startedHost({ api: httpServer(server.url) });
    const controller = new AbortController();
    const hung = call('api__hang', {}, { signal: controller.signal });
    await vi.waitFor(() => expect(server.hung).toHaveLength(1), 5000);
    controller.abort();
    expect(await hung).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.cancelled' } });
    await vi.waitFor(() => expect(server.hung[0]?.aborted).toBe(true), 5000);
  });

  it('announces changes on the stream that we listen to', async () => {
    const server = await serveModern();
    const { upstreams } = await startedHost({ api: httpServer(server.url) });
    const changes: unknown[] = [];
    upstreams.onChange((change) => changes.push(change));
    const echo = tools[0] as (typeof tools)[number];
    echo.description = 'changed';
    onTestFinished(() => void delete echo.description);
    // The first announcement may come before the server has the subscription.
    await vi.waitFor(() => {
      server.notify.toolsChanged();
      expect(changes).toHaveLength(1);
    }, 10_000);
    expect(changes[0]).toMatchObject({
      added: [],
      removed: [],
      changed: [{ after: { key: 'api__echo', definition: { description: 'changed' } } }],
    });
  });
});

describe('a 2026-07-28 upstream over stdio', () => {
  it('is found out on the one process that is started, and gets the envelope', async () => {
    const { call, state } = await startedHost({ modern: modernStdio() });
    expect(state()).toBe('ready');
    expect(said(await call('modern__echo', { region: 'x' }))).toMatchObject({
      arguments: { region: 'x' },
      meta: { 'io.countersign/idempotency-key': 'key-1' },
    });
    const seen: unknown[] = [];
    expect(said(await call('modern__climb', {}, { onProgress: (progress) => seen.push(progress) }))).toBe('up');
    expect(seen).toMatchObject([{ progress: 1 }, { progress: 2 }]);
  });
});
