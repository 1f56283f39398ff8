import { type ErrorCode, Problem } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HTTP_STATUS } from '../src/http-status.ts';
import { HOST, TOKENS } from './fake-host.ts';
import { APPROVE, MINE, ROUTES, type TestServer, testServer } from './requests.ts';

const LOGIN = '/login/login-token-ada';
const cookieOf = (header: unknown): string => String(header).split(';')[0] ?? '';

const logIn = async ({ send }: TestServer): Promise<{ cookie: string; csrf: string }> => {
  const response = await send('POST', '/api/v1/login', { body: { token: TOKENS.ada } });
  return { cookie: cookieOf(response.headers['set-cookie']), csrf: response.json().csrf };
};

describe('Host and Origin', () => {
  it.each(['/api/v1/me', '/events', '/mcp', '/healthz', '/', '/login/x', '/api/openapi.json', '/nowhere'])(
    'are checked at %s',
    async (url) => {
      const { send } = testServer();
      for (const headers of [
        { host: 'evil.example' },
        { host: '' },
        { host: '127.0.0.1:80' },
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { origin: `https://${HOST}` },
      ]) {
        const response = await send('GET', url, { as: 'ada', headers });
        expect([response.statusCode, Problem.parse(response.json()).code]).toEqual([403, 'origin.refused']);
      }
    },
  );

  it('accept the names of loopback while bound to it', async () => {
    const { send } = testServer();
    for (const host of ['localhost:7420', '[::1]:7420', '127.0.0.1:7420', 'LOCALHOST:7420']) {
      expect((await send('GET', '/healthz', { headers: { host, origin: `http://${host.toLowerCase()}` } })).statusCode).toBe(200);
    }
  });

  it('accept the public address with and without its usual port', async () => {
    const { send } = testServer({ settings: { publicUrl: 'https://sign.example.org', host: '10.0.0.5' } });
    for (const host of ['sign.example.org', 'sign.example.org:443', '10.0.0.5:7420'])
      expect((await send('GET', '/healthz', { headers: { host } })).statusCode).toBe(200);
    expect((await send('GET', '/healthz', { headers: { host: 'sign.example.org', origin: 'https://sign.example.org' } })).statusCode).toBe(
      200,
    );
    for (const host of ['localhost:7420', 'sign.example.org:7420'])
      expect((await send('GET', '/healthz', { headers: { host } })).statusCode).toBe(403);
  });

  it('are checked before anything is asked of a credential', async () => {
    const { send, host } = testServer();
    await send('GET', '/api/v1/me', { as: 'ada', headers: { origin: 'http://evil.example' } });
    expect(host.calls).toEqual([]);
  });
});

describe('a login link', () => {
  it('decides and uses nothing when it is only looked at (E3)', async () => {
    const server = testServer();
    for (const method of ['GET', 'HEAD', 'GET']) expect((await server.send(method, LOGIN)).statusCode).toBe(200);
    expect(server.host.calls).toEqual([]);
    expect((await server.send('POST', LOGIN)).statusCode).toBe(303);
  });

  it('logs in by its button, once', async () => {
    const server = testServer();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${HOST}` };
    const first = await server.app.inject({ method: 'POST', url: LOGIN, headers: { host: HOST, ...headers }, payload: '' });
    expect([first.statusCode, first.headers.location]).toEqual([303, '/']);
    const me = await server.send('GET', '/api/v1/me', { headers: { cookie: cookieOf(first.headers['set-cookie']) } });
    expect(me.json()).toMatchObject({ principal: { name: 'ada' } });
    const second = await server.app.inject({ method: 'POST', url: LOGIN, headers: { host: HOST, ...headers }, payload: '' });
    expect([second.statusCode, second.headers['set-cookie']]).toEqual([410, undefined]);
  });

  it('cannot be pressed by another site', async () => {
    const server = testServer();
    expect((await server.send('POST', LOGIN, { headers: { origin: 'http://evil.example' } })).statusCode).toBe(403);
    expect(server.host.calls).toEqual([]);
  });

  it('lets the browser send its Origin with the form, and its address to nobody', async () => {
    const response = await testServer().send('GET', LOGIN);
    expect(response.headers['referrer-policy']).toBe('same-origin');
    expect(response.body).not.toContain('login-token-ada');
  });
});

describe('a session', () => {
  it('lives in a cookie that scripts and other sites do not get', async () => {
    const response = await testServer().send('POST', '/api/v1/login', { body: { token: TOKENS.ada } });
    expect(response.headers['set-cookie']).toMatch(/^countersign_session=css_\w+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
  });

  it('is bound to the host where the public address is https', async () => {
    const server = testServer({ settings: { publicUrl: 'https://sign.example.org' } });
    const response = await server.send('POST', '/api/v1/login', { body: { token: TOKENS.ada }, headers: { host: 'sign.example.org' } });
    expect(response.headers['set-cookie']).toMatch(/^__Host-countersign_session=.*; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/);
    expect(response.headers['strict-transport-security']).toContain('max-age');
  });

  it("is opened by a principal's token only", async () => {
    const { send } = testServer();
    for (const token of [TOKENS.researcher, TOKENS.operator, 'csp_no']) {
      const response = await send('POST', '/api/v1/login', { body: { token } });
      expect([401, 403]).toContain(response.statusCode);
      expect(response.headers['set-cookie']).toBeUndefined();
    }
  });

  it('is no token, and a token is no session', async () => {
    const server = testServer();
    const { cookie } = await logIn(server);
    const asToken = await server.send('GET', '/api/v1/me', { headers: { authorization: `Bearer ${cookie.split('=')[1]}` } });
    const asCookie = await server.send('GET', '/api/v1/me', { headers: { cookie: `countersign_session=${TOKENS.ada}` } });
    expect([asToken.statusCode, asCookie.statusCode]).toEqual([401, 401]);
  });

  it('ends when the principal logs out', async () => {
    const server = testServer();
    const { cookie, csrf } = await logIn(server);
    const out = await server.send('POST', '/api/v1/logout', { headers: { cookie, 'x-csrf-token': csrf } });
    expect(out.headers['set-cookie']).toContain('countersign_session=;');
    expect((await server.send('GET', '/api/v1/me', { headers: { cookie } })).statusCode).toBe(401);
  });
});

describe('a write with a session', () => {
  const writes = ROUTES.filter(({ method, who }) => method !== 'GET' && who.includes('principal'));

  it.each(writes.map((route) => [`${route.method} ${route.pattern}`, route] as const))(
    'needs the CSRF token: %s',
    async (_name, { method, url, ok, body, headers }) => {
      const server = testServer();
      const { cookie, csrf } = await logIn(server);
      const other = await logIn(server);
      const send = (token: Record<string, string>) =>
        server.send(method, url, { ...(body === undefined ? {} : { body }), headers: { cookie, ...headers, ...token } });
      for (const token of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': `${csrf}x` }, { 'x-csrf-token': other.csrf }]) {
        expect((await send(token)).json().code).toBe('csrf.missing');
      }
      expect((await send({ 'x-csrf-token': csrf })).statusCode).toBe(ok);
    },
  );

  it('gets the token from GET me, and a token holder needs none', async () => {
    const server = testServer();
    const { cookie, csrf } = await logIn(server);
    expect((await server.send('GET', '/api/v1/me', { headers: { cookie } })).json().csrf).toBe(csrf);
    expect((await server.send('GET', '/api/v1/me', { as: 'ada' })).json().csrf).toBeNull();
  });
});

describe('an address', () => {
  it.each(['/api/v1/decisions/%00', '/api/v1/decisions?q=a%00b', '/api/v1/agents/%00/credentials', '/login/%00'])(
    'with a NUL in it is turned down before anything looks it up: %s',
    async (url) => {
      const { send, host } = testServer();
      const response = await send('GET', url, { as: 'ada' });
      expect(Problem.parse(response.json())).toMatchObject({ status: 400, code: 'input.invalid' });
      expect(host.calls).toEqual([]);
    },
  );
});

describe('the headers', () => {
  it.each(['/', '/api/v1/me', '/login/x', '/mcp', '/nowhere'])('of %s forbid frames, foreign code and guessing types', async (url) => {
    const { headers } = await testServer().send('GET', url, { as: 'ada' });
    expect(headers['content-security-policy']).toContain("default-src 'none';script-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
  });

  it('keep answers out of caches', async () => {
    expect((await testServer().send('GET', MINE, { as: 'ada' })).headers['cache-control']).toBe('no-store');
  });
});

describe('the rate limit', () => {
  it('counts by credential, not by address', async () => {
    const { send } = testServer({ settings: { requestsPerMinute: 2 } });
    for (const status of [200, 200, 429]) expect((await send('GET', '/api/v1/host', { as: 'ada' })).statusCode).toBe(status);
    const response = await send('GET', '/api/v1/rules', { as: 'ada' });
    expect(Problem.parse(response.json())).toMatchObject({ code: 'rate.limited', status: 429 });
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send('GET', '/api/v1/host', { as: 'ben' })).statusCode).toBe(200);
  });

  it('spares the look-up of a false credential that comes again and again', async () => {
    const { send, host } = testServer({ settings: { requestsPerMinute: 2 } });
    for (let n = 0; n < 5; n += 1) await send('GET', '/api/v1/me', { as: 'liar' });
    expect(host.calls.filter(({ name }) => name === 'resolveCaller')).toHaveLength(2);
  });

  it('counts callers of /mcp without a credential by address, whatever cookies they invent', async () => {
    const { send } = testServer({ settings: { requestsPerMinute: 2 } });
    const codes: number[] = [];
    for (let n = 0; n < 4; n += 1)
      codes.push((await send('POST', '/mcp', { headers: { cookie: `countersign_session=css_${n}` }, body: {} })).statusCode);
    expect(codes.slice(2)).toEqual([429, 429]);
  });

  it('counts a credential once, however its header is spelt', async () => {
    const { send } = testServer({ settings: { requestsPerMinute: 2 } });
    const spelt = ['Bearer ', 'bearer  ', 'BEARER   '].map((scheme) => ({ authorization: `${scheme}${TOKENS.ada}` }));
    const codes: number[] = [];
    for (const headers of spelt) codes.push((await send('GET', '/api/v1/host', { headers })).statusCode);
    expect(codes).toEqual([200, 200, 429]);
  });

  it('leaves the probes alone', async () => {
    const { send } = testServer({ settings: { requestsPerMinute: 1 } });
    for (let n = 0; n < 3; n += 1) expect((await send('GET', '/healthz')).statusCode).toBe(200);
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'one-key' };

  it('gives the same answer again without doing it again', async () => {
    const { send, host } = testServer();
    const first = await send('POST', `${MINE}/answer`, { as: 'ada', body: APPROVE, headers });
    const again = await send('POST', `${MINE}/answer`, { as: 'ada', body: APPROVE, headers });
    expect([again.statusCode, again.body, again.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
    expect(host.calls.filter(({ name }) => name === 'answerDecision')).toHaveLength(1);
  });

  it('repeats an answer that has no body', async () => {
    const { send } = testServer();
    const revoke = () => send('DELETE', '/api/v1/credentials/crd_1', { as: 'ada', headers });
    const [first, again] = [await revoke(), await revoke()];
    expect([first.statusCode, again.statusCode, again.body, again.headers['idempotent-replayed']]).toEqual([204, 204, '', 'true']);
  });

  it('repeats a refusal as a problem', async () => {
    const { send } = testServer();
    const body = { ...APPROVE, version: 9 };
    const [first, again] = [
      await send('POST', `${MINE}/answer`, { as: 'ada', body, headers }),
      await send('POST', `${MINE}/answer`, { as: 'ada', body, headers }),
    ];
    expect([again.statusCode, again.body, again.headers['content-type']]).toEqual([409, first.body, first.headers['content-type']]);
  });

  it('refuses another body, another route and another version under the same key', async () => {
    const { send } = testServer();
    await send('POST', `${MINE}/answer`, { as: 'ada', body: APPROVE, headers });
    const others = [
      await send('POST', `${MINE}/answer`, { as: 'ada', body: { ...APPROVE, effect: 'refuse' }, headers }),
      await send('POST', '/api/v1/freeze', { as: 'ada', body: { reason: 'x' }, headers }),
    ];
    expect(others.map((response) => response.json().code)).toEqual(['idempotency.conflict', 'idempotency.conflict']);
  });

  it('belongs to one sender', async () => {
    const { send } = testServer();
    await send('POST', '/api/v1/freeze', { as: 'ada', body: { reason: 'x' }, headers });
    expect((await send('POST', '/api/v1/freeze', { as: 'operator', body: { reason: 'y' }, headers })).statusCode).toBe(200);
  });

  it('is free again after an error that changed nothing', async () => {
    const { send, host } = testServer();
    host.failNextWith('store.unavailable');
    expect((await send('POST', '/api/v1/thaw', { as: 'ada', headers })).statusCode).toBe(503);
    expect((await send('POST', '/api/v1/thaw', { as: 'ada', headers })).statusCode).toBe(200);
  });

  it('never keeps a secret for a repeat', async () => {
    const { send, host } = testServer();
    const issue = () => send('POST', '/api/v1/agents/researcher/credentials', { as: 'ada', body: { label: 'x' }, headers });
    const { token } = (await issue()).json();
    const again = await issue();
    expect([again.statusCode, again.json().code]).toEqual([409, 'conflict']);
    expect(JSON.stringify([...host.stored.values()])).not.toContain(token);
  });

  it('must be one printable word', async () => {
    const response = await testServer().send('POST', '/api/v1/thaw', { as: 'ada', headers: { 'idempotency-key': 'two words' } });
    expect(response.json().code).toBe('input.invalid');
  });
});

describe('a body', () => {
  it('is refused with the place that does not fit, and a key that is not known', async () => {
    const response = await testServer().send('POST', `${MINE}/answer`, { as: 'ada', body: { ...APPROVE, effect: 'yes', extra: 1 } });
    expect(response.json()).toMatchObject({
      code: 'input.invalid',
      context: { in: 'body', issues: expect.arrayContaining([expect.objectContaining({ path: '/effect' })]) },
    });
    expect(response.body).toContain('extra');
  });

  it.each([
    ['that is not JSON', '{', 'application/json', 400, 'ingress.not_json'],
    ['of another type', 'a=1', 'application/x-www-form-urlencoded', 400, 'input.invalid'],
    ['without a type', 'x', '', 400, 'input.invalid'],
    ['that is too large', `"${'x'.repeat(70_000)}"`, 'application/json', 413, 'ingress.too_large'],
  ])('%s is refused', async (_what, body, type, status, code) => {
    const response = await testServer().send('POST', '/api/v1/freeze', { as: 'ada', body, headers: { 'content-type': type } });
    expect([response.statusCode, Problem.parse(response.json()).code]).toEqual([status, code]);
  });

  it('is not read before the sender is known', async () => {
    const response = await testServer().send('POST', '/api/v1/freeze', { body: '{' });
    expect(response.statusCode).toBe(401);
  });
});

describe('an error', () => {
  it.each(Object.entries(HTTP_STATUS))('with the code %s has the status %i', async (code, status) => {
    const { send, host } = testServer();
    host.failNextWith(code as ErrorCode);
    const response = await send('GET', '/api/v1/audit', { as: 'ada' });
    expect([response.statusCode, Problem.parse(response.json())]).toEqual([
      status,
      expect.objectContaining({ code, status, detail: `failed with ${code}`, requestId: expect.stringMatching(/^req_/) }),
    ]);
  });

  it('that nobody expected is "internal" with the request id and nothing else', async () => {
    const { send, host } = testServer();
    host.throwNext(new Error('password=hunter2 at postgres://user:pw@db'));
    const response = await send('GET', '/api/v1/audit', { as: 'ada' });
    const problem = Problem.parse(response.json());
    expect([response.statusCode, problem.code, problem.detail]).toEqual([
      500,
      'internal',
      expect.stringContaining(String(problem.requestId)),
    ]);
    expect(response.body).not.toMatch(/hunter2|postgres|\bat .*:\d+/);
  });

  it('of the address itself is a problem too', async () => {
    const response = await testServer().send('GET', '/api/v1/decisions/%zz', { as: 'ada' });
    expect([response.statusCode, response.headers['content-type']]).toEqual([400, expect.stringContaining('application/problem+json')]);
  });

  it('never holds the secret that was sent, the secret of the cause, or a stack', async () => {
    const secret = fc.uint8Array({ minLength: 12, maxLength: 24 }).map((bytes) => `Zq${Buffer.from(bytes).toString('hex')}`);
    const route = fc.constantFrom(...ROUTES.filter(({ who }) => !who.includes('open')));
    const kind = fc.constantFrom('wrong token', 'wrong cookie', 'thrown', 'body', 'query', 'csrf');
    await fc.assert(
      fc.asyncProperty(secret, route, kind, async (value, { method, url, body, headers }, how) => {
        const { send, host } = testServer();
        const sent: Record<string, string> = { ...headers };
        let payload: unknown = body;
        if (how === 'wrong token') sent.authorization = `Bearer csp_${value}`;
        if (how === 'wrong cookie') sent.cookie = `countersign_session=${value}`;
        if (how === 'csrf') sent['x-csrf-token'] = value;
        if (how === 'thrown') host.throwNext(new Error(`cause: ${value}`));
        if (how === 'body' && body !== undefined)
          payload = Object.fromEntries(Object.keys(body as object).map((key) => [key, { not: value }]));
        const as = how === 'wrong cookie' || how === 'wrong token' ? 'nobody' : 'ada';
        const at = how === 'query' ? `${url}?limit=${value}&state=${value}&type=${value}` : url;
        const response = await send(method, at, { as, headers: sent, ...(payload === undefined ? {} : { body: payload }) });
        if (response.statusCode < 400) return;
        expect(response.body).not.toContain(value);
        expect(response.body).not.toMatch(/\.ts:\d+|node_modules|\bat (?:async )?\w+ \(/);
      }),
      { numRuns: 200 },
    );
  });
});
