import { describe, expect, it } from 'vitest';
import { examine } from '../../src/doctor/examine.ts';
import { unreachable } from '../../src/doctor/unreachable.ts';
import { fakeGate } from '../endpoint/fake-gate.ts';
import { serveEndpoint } from '../endpoint/loopback.ts';
import { serveMcp } from '../fixtures/http-server.ts';
import { closedPort, serveBytes, serveHttp } from './servers.ts';

/** The one finding that says why nothing more can be told, as `code: message → fix`. */
async function said(url: string, options: Parameters<typeof examine>[1] = {}) {
  const report = await examine(url, options);
  expect(report).toMatchObject({ lane: null, why: null, eras: [], tools: { listed: 0, callable: 0, upstream: 0, missing: [] } });
  expect(report.findings).toHaveLength(1);
  const [found] = report.findings;
  return { isReached: report.isReached, line: `${found?.code}: ${found?.message} → ${found?.fix}` };
}

describe('an address without an endpoint', () => {
  it('is unreachable where nothing listens', async () => {
    const { isReached, line } = await said(`${await closedPort()}/mcp`);
    expect(isReached).toBe(false);
    expect(line).toMatch(/^endpoint\.unreachable: http:\S+ can't be reached: nothing listens there .* → Start the host/);
  });

  it('is unreachable where a port takes the request and never answers', async () => {
    const { isReached, line } = await said(await serveBytes(null), { timeoutMs: 100 });
    expect(isReached).toBe(false);
    expect(line).toContain('no answer within 0.1 s');
  });

  it('is unreachable where the port speaks another protocol', async () => {
    expect((await said(await serveBytes('SSH-2.0-OpenSSH_9.7\r\n'))).line).toContain('what answers is not HTTP');
  });

  it('is unreachable by https where the port speaks http', async () => {
    const origin = await serveHttp((_, response) => response.end());
    expect((await said(origin.replace('http:', 'https:'))).line).toContain('it does not speak TLS. → Use http://');
  });

  it.each([
    ['ENOTFOUND', 'the name does not resolve'],
    ['EHOSTUNREACH', 'no route leads there'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['CERT_HAS_EXPIRED', 'its certificate is not trusted'],
    ['UND_ERR_CONNECT_TIMEOUT', 'no answer within 10 s'],
    ['ESOMETHING', 'the request failed (ESOMETHING)'],
  ])('is unreachable for the reason that %s means', (code, words) => {
    const error = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    expect(unreachable(new URL('https://gate.example/mcp'), error, 10_000).message).toContain(words);
  });

  it.each(['ftp://127.0.0.1/mcp', 'not a url', ''])('is no address at all: %j', async (text) => {
    const { isReached, line } = await said(text);
    expect(isReached).toBe(false);
    expect(line).toContain('is no http or https URL');
  });
});

describe('a server without an endpoint at that path', () => {
  it('is a wrong URL, and is told the right one where the host has it', async () => {
    const { endpoint } = await serveEndpoint(fakeGate().deps);
    const origin = await serveHttp((request, response) => {
      if (request.url === '/mcp') return void endpoint.serve(request, response);
      response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"code":"not_found"}');
    });
    expect(await said(`${origin}/mpc`)).toEqual({
      isReached: true,
      line: `endpoint.wrong_url: There is no MCP endpoint at ${origin}/mpc (404); this host has it at ${origin}/mcp. → Use ${origin}/mcp`,
    });
  });

  it.each([404, 405])('is a wrong URL where it answers %i', async (status) => {
    const origin = await serveHttp((_, response) => response.writeHead(status).end('<h1>Nothing here</h1>'));
    const { isReached, line } = await said(`${origin}/tools`);
    expect(isReached).toBe(true);
    expect(line).toMatch(new RegExp(`^endpoint\\.wrong_url: A server answers at .* nothing for MCP at /tools \\(${status}\\)`));
  });

  it.each([
    ['a page', 200, 'text/html; charset=utf-8', '<h1>Hello</h1>', '200 and text/html'],
    ['other JSON', 200, 'application/json', '{"hello":"world"}', '200 and application/json'],
    ['a refusal without a message', 400, 'text/plain', 'bad request', '400 and text/plain'],
    ['an event stream of something else', 200, 'text/event-stream', 'data: {"tick":1}\n\n', '200 and text/event-stream'],
  ])('is not an MCP server where it sends %s', async (_, status, type, body, words) => {
    const origin = await serveHttp((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));
    const { line } = await said(`${origin}/mcp`);
    expect(line).toMatch(/^endpoint\.not_mcp: What answers at .* is not an MCP server/);
    expect(line).toContain(words);
  });

  it('is an MCP server and no Countersign host', async () => {
    const { url } = await serveMcp();
    expect((await said(String(url))).line).toMatch(/^endpoint\.not_countersign: .* is an MCP server, and not a Countersign host/);
  });

  it('is an MCP server too where it knows no other hello than initialize', async () => {
    const { url } = await serveMcp(({ message }, response) =>
      message.method === 'initialize' ? false : response.writeHead(400, { 'content-type': 'text/plain' }).end('no session'),
    );
    expect((await said(String(url))).line).toMatch(/^endpoint\.not_countersign/);
  });

  it('sends clients elsewhere', async () => {
    const origin = await serveHttp((_, response) => response.writeHead(308, { location: 'https://gate.example/mcp' }).end());
    expect((await said(origin)).line).toMatch(/^endpoint\.redirects: .*on to https:\/\/gate\.example\/mcp \(308\)/);
  });

  it.each([
    [
      403,
      '{"code":"origin.refused","detail":"This server does not answer to that Host."}',
      /^endpoint\.refused: The host does not answer to the name .* It says: “This server/,
    ],
    [403, '<h1>Forbidden</h1>', /^endpoint\.refused: Something at .* forbids this request/],
    [429, '{"code":"rate.limited","detail":"Try again in 7 s."}', /^endpoint\.failing: Too many requests .*Try again in 7 s/],
    [502, '<h1>Bad Gateway</h1>', /^endpoint\.failing: .* error of its own \(502\)/],
    [401, '', /^token\.missing: It wants a credential even to look in \(401\)/],
  ])('answers %i', async (status, body, line) => {
    const origin = await serveHttp((_, response) => response.writeHead(status, { 'content-type': 'application/problem+json' }).end(body));
    expect((await said(`${origin}/mcp`)).line).toMatch(line);
  });

  it('shows what hides in its words by its number, and no more than a line of them', async () => {
    const detail = `fine\u001b[2K\u202ex${'y'.repeat(5000)}`;
    const origin = await serveHttp((_, response) => response.writeHead(500).end(JSON.stringify({ detail })));
    const { line } = await said(`${origin}/mcp`);
    expect(line).toContain('fine⟨U+001B⟩[2K⟨U+202E⟩x');
    expect(line.length).toBeLessThan(700);
  });
});
