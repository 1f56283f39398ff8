import { Problem } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { MINE, ROUTES, type Route, THEIRS, testServer, UNKNOWN, type Who } from './requests.ts';

const SENDERS: Record<'principal' | 'agent' | 'operator', Who> = { principal: 'ada', agent: 'researcher', operator: 'operator' };

const sendRoute = async ({ method, url, body, headers }: Route, as: Who) => {
  const server = testServer();
  const response = await server.send(method, url, {
    as,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });
  return { ...server, response };
};

describe.each(ROUTES.map((route) => [`${route.method} ${route.pattern}`, route] as const))('%s', (_name, route) => {
  const isOpen = route.who.includes('open');

  it.each(Object.entries(SENDERS))('answers each kind of sender as it may: %s', async (kind, who) => {
    const { response } = await sendRoute(route, who);
    const may = isOpen || route.who.includes(kind as 'principal');
    expect(response.statusCode).toBe(may ? route.ok : 403);
    if (!may) expect(Problem.parse(response.json()).code).toBe('credential.forbidden');
  });

  it('wants a credential, unless it is open', async () => {
    const { response } = await sendRoute(route, 'nobody');
    expect(response.statusCode).toBe(isOpen ? route.ok : 401);
    if (!isOpen)
      expect([Problem.parse(response.json()).code, response.headers['www-authenticate']]).toEqual([
        'credential.missing',
        'Bearer realm="countersign"',
      ]);
  });

  it('takes a wrong credential for none, not for an anonymous one', async () => {
    const { response, host } = await sendRoute(route, 'liar');
    expect(response.statusCode).toBe(isOpen ? route.ok : 401);
    if (!isOpen) expect(host.calls.map(({ name }) => name)).toEqual(['resolveCaller']);
  });
});

// These operations have no failure that is a value.
const NEVER_FAIL = ['/api/v1/rules', '/api/v1/host', '/api/v1/health/findings', '/api/v1/logout', '/api/v1/decisions/answers'];
const CAN_FAIL = ROUTES.filter(({ who, pattern }) => !who.includes('open') && !NEVER_FAIL.includes(pattern));

describe('an operation that refuses', () => {
  it.each(CAN_FAIL.map((route) => [`${route.method} ${route.pattern}`, route] as const))(
    'becomes a problem with its code: %s',
    async (_name, route) => {
      const { method, url, body, headers, who } = route;
      const server = testServer();
      server.host.failNextWith('store.unavailable');
      const as = SENDERS[who[0] as 'principal'];
      const response = await server.send(method, url, {
        as,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
      });
      expect(response.headers['content-type']).toContain('application/problem+json');
      expect(Problem.parse(response.json())).toMatchObject({ code: 'store.unavailable', status: 503 });
    },
  );
});

describe('the list of routes', () => {
  it('is all that the server has', async () => {
    const { app } = testServer();
    const registered: string[] = [];
    app.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) registered.push(`${one} ${url}`);
    });
    await app.ready();
    const others = ['/mcp', '/events', '/login/:token', '/api/openapi.json'];
    const ours = registered.filter((one) => !one.startsWith('HEAD ') && !others.some((other) => one.endsWith(` ${other}`)));
    const files = /^GET \/(?:api\/docs\/?)?(?:[\w-]+\.\w+)?$/;
    expect(ours.filter((one) => !files.test(one)).sort()).toEqual(ROUTES.map(({ method, pattern }) => `${method} ${pattern}`).sort());
  });
});

describe('a decision of somebody else', () => {
  const body = { version: 1, shownDigest: `sha256:${'a'.repeat(64)}`, effect: 'approve' };
  const without = (text: string): unknown => ({ ...JSON.parse(text), requestId: '' });

  it.each([
    ['GET', ''],
    ['POST', '/answer'],
  ])('answers exactly like one that does not exist: %s %s', async (method, path) => {
    const { send } = testServer();
    const options = { as: 'ada' as const, ...(method === 'POST' ? { body } : {}) };
    const [theirs, unknown] = [await send(method, THEIRS + path, options), await send(method, UNKNOWN + path, options)];
    expect([theirs.statusCode, without(theirs.body)]).toEqual([unknown.statusCode, without(unknown.body)]);
    expect(theirs.statusCode).toBe(404);
  });

  it('leaves it as it was', async () => {
    const { send, host } = testServer();
    await send('POST', `${THEIRS}/answer`, { as: 'ada', body });
    expect([...host.decisions.values()].map(({ state }) => state)).toEqual(['pending', 'pending']);
  });
});

describe('an agent that answers (E1)', () => {
  const body = { version: 1, shownDigest: `sha256:${'a'.repeat(64)}`, effect: 'approve' };

  it.each([
    [`${MINE}/answer`, body],
    ['/api/v1/decisions/answers', { answers: [{ ...body, id: MINE.split('/').at(-1) }] }],
    [`${MINE}/extend`, { version: 1, expiresAt: '2027-01-01T00:00:00.000Z' }],
  ])('is refused at %s, and the attempt is recorded', async (url, payload) => {
    const { send, host } = testServer();
    const response = await send('POST', url, { as: 'researcher', body: payload });
    expect([response.statusCode, response.json().code]).toEqual([403, 'credential.forbidden']);
    expect(host.decisions.get(MINE.split('/').at(-1) ?? '')?.state).toBe('pending');
    expect(host.forbidden).toMatchObject([{ by: 'researcher' }]);
  });

  it('is refused in a session cookie too', async () => {
    const { send } = testServer();
    const response = await send('GET', MINE, { headers: { cookie: 'countersign_session=csa_researcher-0123456789' } });
    expect(response.statusCode).toBe(401);
  });

  it('sees only what its scopes show', async () => {
    const { send } = testServer();
    expect((await send('GET', '/api/v1/decisions', { as: 'newcomer' })).json().code).toBe('credential.forbidden');
    expect((await send('GET', '/api/v1/rules', { as: 'newcomer' })).statusCode).toBe(200);
  });
});

describe('a page that is older than the decision (A6)', () => {
  it.each([
    ['decision.stale', 409],
    ['decision.already_answered', 409],
    ['decision.digest_mismatch', 409],
    ['decision.expired', 409],
    ['decision.edit_refused', 422],
    ['decision.note_required', 422],
  ] as const)('gets %s with who and when', async (code, status) => {
    const { send, host } = testServer();
    host.failNextWith(code, { by: 'ben', at: '2026-11-30T12:00:00.000Z' });
    const response = await send('POST', `${MINE}/answer`, {
      as: 'ada',
      body: { version: 1, shownDigest: `sha256:${'a'.repeat(64)}`, effect: 'refuse' },
    });
    expect(response.statusCode).toBe(status);
    expect(Problem.parse(response.json())).toMatchObject({ code, status, context: { by: 'ben', at: '2026-11-30T12:00:00.000Z' } });
  });
});

describe('many answers at once', () => {
  it('reports each one', async () => {
    const { send } = testServer();
    const one = { version: 1, shownDigest: `sha256:${'a'.repeat(64)}`, effect: 'approve' };
    const ids = [MINE, THEIRS].map((url) => url.split('/').at(-1));
    const response = await send('POST', '/api/v1/decisions/answers', { as: 'ada', body: { answers: ids.map((id) => ({ ...one, id })) } });
    expect(response.json()).toMatchObject({
      items: [
        { id: ids[0], ok: true, decision: { state: 'approved' }, problem: null },
        { id: ids[1], ok: false, decision: null, problem: { code: 'not_found', status: 404 } },
      ],
    });
  });
});

describe('a mandate', () => {
  const body = { scopes: [], terms: [] };

  it('wants to know which version it replaces', async () => {
    const { send } = testServer();
    expect((await send('PUT', '/api/v1/mandates/me', { as: 'ada', body })).statusCode).toBe(428);
    expect((await send('PUT', '/api/v1/mandates/me', { as: 'ada', body, headers: { 'if-match': '*' } })).statusCode).toBe(428);
  });

  it('is not overwritten by an older page', async () => {
    const { send } = testServer();
    const response = await send('PUT', '/api/v1/mandates/me', { as: 'ada', body, headers: { 'if-match': '"2"' } });
    expect([response.statusCode, response.json().code]).toEqual([409, 'conflict']);
  });

  it('takes back what GET gave', async () => {
    const { send } = testServer();
    const before = (await send('GET', '/api/v1/mandates/me', { as: 'ada' })).json();
    const response = await send('PUT', '/api/v1/mandates/me', { as: 'ada', body: before, headers: { 'if-match': String(before.version) } });
    expect(response.json()).toMatchObject({ version: 4, scopes: before.scopes });
  });
});

describe('health', () => {
  it('is ready only when the host is', async () => {
    const { send, host } = testServer();
    host.beUnready();
    expect((await send('GET', '/readyz')).statusCode).toBe(503);
    expect((await send('GET', '/healthz')).statusCode).toBe(200);
  });
});
