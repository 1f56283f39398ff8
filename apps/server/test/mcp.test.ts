import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HOST } from './fake-host.ts';
import { testServer } from './requests.ts';

describe('/mcp', () => {
  it('hands over the bytes as they came, whatever they are', async () => {
    const { app } = testServer();
    for (const payload of ['{"a":1,"a":2}', Buffer.from([0xff, 0x00, 0x7b]), '[{"n":12345678901234567890}]']) {
      for (const type of [
        { 'content-type': 'application/json' },
        { 'content-type': 'text/plain' },
        { 'content-type': 'multipart/form-data' },
        {},
      ]) {
        const response = await app.inject({ method: 'POST', url: '/mcp', headers: { host: HOST, ...type }, payload });
        expect(response.body).toBe(Buffer.from(payload).toString('hex'));
      }
    }
  });

  it.each(['GET', 'DELETE', 'POST'])('hands over a %s without a body', async (method) => {
    expect((await testServer().send(method, '/mcp')).body).toBe('no body');
  });

  it('asks no credential of its own, so that the anonymous lane gets in', async () => {
    const { send, host } = testServer();
    for (const as of ['nobody', 'liar', 'researcher', 'ada'] as const)
      expect((await send('POST', '/mcp', { as, body: {} })).statusCode).toBe(200);
    expect(host.calls).toEqual([]);
  });

  it('takes no more bytes than a call may have', async () => {
    const response = await testServer({ settings: { bodyBytes: 100 } }).send('POST', '/mcp', { body: 'x'.repeat(200) });
    expect([response.statusCode, response.json().code]).toEqual([413, 'ingress.too_large']);
  });

  it('has no other methods', async () => {
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD']) expect((await testServer().send(method, '/mcp')).statusCode).toBe(404);
  });

  it('turns a bug behind it into a problem that says nothing of the cause', async () => {
    const mcp = () => Promise.reject(new Error('secret cause'));
    const response = await testServer({ mcp }).send('POST', '/mcp', { body: {} });
    expect([response.statusCode, response.json().code]).toEqual([500, 'internal']);
    expect(response.body).not.toContain('secret cause');
  });

  it('says through the aborted request that a caller left', async () => {
    let left: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { app } = testServer({
      mcp: async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': held\n\n');
        response.once('close', () => left?.());
        await closed;
      },
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const call = request({ port, method: 'POST', path: '/mcp', headers: { host: HOST } }).on('error', () => {});
    call.end('{}');
    await once(call, 'response');
    call.destroy();
    await closed;
    await app.close();
    expect(call.destroyed).toBe(true);
  });
});
