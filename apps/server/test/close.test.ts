import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { HOST } from './fake-host.ts';
import { testServer } from './requests.ts';

it('closes although a client opened a connection and sent nothing', async () => {
  const { app } = testServer();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const accepted = once(app.server, 'connection');
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await accepted;
  await app.close();
  await once(socket, 'close');
  expect(app.server.listening).toBe(false);
});

it('sends the answers that are under way before it closes', async () => {
  let answer: (() => void) | undefined;
  const { app } = testServer({
    mcp: (_request, response) =>
      new Promise((resolve) => {
        answer = () => resolve(void response.end('late'));
      }),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const request = get({ port: (app.server.address() as AddressInfo).port, path: '/mcp', headers: { host: HOST }, agent: false });
  await expect.poll(() => answer).toBeDefined();
  const closed = app.close();
  answer?.();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(String(await response.setEncoding('utf8').toArray())).toBe('late');
  await closed;
});
