import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { buildServer } from '../src/app.ts';
import { DIGEST, depsOf, type FakeHost, fakeHost, HOST, id, TOKENS } from './fake-host.ts';

export type Who = keyof typeof TOKENS | 'nobody' | 'liar';
type Send = { readonly as?: Who; readonly headers?: Record<string, string>; readonly body?: unknown };

export type TestServer = {
  readonly app: FastifyInstance;
  readonly host: FakeHost;
  send(method: string, url: string, options?: Send): Promise<LightMyRequestResponse>;
};

export const tokenHeader = (who: Who): Record<string, string> => {
  if (who === 'nobody') return {};
  return { authorization: `Bearer ${who === 'liar' ? 'csp_not-a-token' : TOKENS[who]}` };
};

export const testServer = (options: Parameters<typeof depsOf>[1] = {}): TestServer => {
  const host = fakeHost();
  const app = buildServer(depsOf(host, options));
  const send: TestServer['send'] = (method, url, { as = 'nobody', headers = {}, body } = {}) => {
    const payload = body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return app.inject({
      method: method as InjectOptions['method'],
      url,
      headers: { host: HOST, ...type, ...tokenHeader(as), ...headers },
      ...payload,
    } as InjectOptions);
  };
  return { app, host, send };
};

export const MINE = `/api/v1/decisions/${id('dec', 1)}`;
export const THEIRS = `/api/v1/decisions/${id('dec', 2)}`;
export const UNKNOWN = `/api/v1/decisions/${id('dec', 3)}`;
export const APPROVE = { version: 1, shownDigest: DIGEST, effect: 'approve' } as const;

export type Route = {
  readonly method: string;
  readonly url: string;
  /** As the server spells it, for comparison with what it registered. */
  readonly pattern: string;
  readonly ok: number;
  readonly who: readonly ('principal' | 'agent' | 'operator' | 'open')[];
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

const route = (
  method: string,
  url: string,
  ok: number,
  who: Route['who'],
  rest: { body?: unknown; headers?: Record<string, string>; pattern?: string } = {},
): Route => ({
  method,
  url,
  pattern: url,
  ok,
  who,
  ...rest,
});
const decision = (path: string): { pattern: string } => ({ pattern: `/api/v1/decisions/:id${path}` });
const named = (noun: string, path: string): { pattern: string } => ({ pattern: `/api/v1/${noun}/:name${path}` });

/** Every route of the API with a request that succeeds, and who may send it. The server's own list is compared with this one. */
export const ROUTES: readonly Route[] = [
  route('GET', '/api/v1/decisions', 200, ['principal', 'agent']),
  route('GET', '/api/v1/decisions/rows', 200, ['principal', 'agent']),
  route('GET', MINE, 200, ['principal', 'agent'], decision('')),
  route('POST', `${MINE}/answer`, 200, ['principal'], { body: APPROVE, ...decision('/answer') }),
  route('POST', '/api/v1/decisions/answers', 200, ['principal'], { body: { answers: [{ ...APPROVE, id: id('dec', 1) }] } }),
  route('POST', `${MINE}/extend`, 200, ['principal'], {
    body: { version: 1, expiresAt: '2027-01-01T00:00:00.000Z' },
    ...decision('/extend'),
  }),
  route('POST', `${MINE}/withdraw`, 200, ['principal', 'agent'], { body: { reason: 'not needed' }, ...decision('/withdraw') }),
  route('GET', '/api/v1/rules', 200, ['principal', 'agent', 'operator']),
  route('POST', '/api/v1/rules/try', 200, ['principal'], { body: { tool: 'jar__eat', arguments: {} } }),
  route('GET', '/api/v1/tools/jar__cookie_jar', 200, ['principal'], { pattern: '/api/v1/tools/:tool' }),
  route('GET', '/api/v1/stats', 200, ['principal']),
  route('GET', '/api/v1/agents', 200, ['principal', 'agent', 'operator']),
  route('POST', '/api/v1/agents', 201, ['principal', 'operator'], { body: { name: 'scout' } }),
  route('POST', '/api/v1/agents/researcher/admit', 200, ['principal', 'operator'], named('agents', '/admit')),
  route('POST', '/api/v1/agents/researcher/suspend', 200, ['principal', 'operator'], named('agents', '/suspend')),
  route('GET', '/api/v1/agents/researcher/credentials', 200, ['principal', 'operator'], named('agents', '/credentials')),
  route('POST', '/api/v1/agents/researcher/credentials', 201, ['principal', 'operator'], {
    body: { label: 'laptop' },
    ...named('agents', '/credentials'),
  }),
  route('DELETE', `/api/v1/credentials/${id('crd', 5)}`, 204, ['principal', 'operator'], { pattern: '/api/v1/credentials/:id' }),
  route('GET', '/api/v1/principals', 200, ['operator']),
  route('POST', '/api/v1/principals', 201, ['operator'], { body: { name: 'eve', displayName: 'Eve' } }),
  route('POST', '/api/v1/principals/ada/login-link', 201, ['operator'], named('principals', '/login-link')),
  route('POST', '/api/v1/principals/ada/token', 201, ['operator'], named('principals', '/token')),
  route('GET', '/api/v1/audit', 200, ['principal', 'agent']),
  route('GET', '/api/v1/mandates/me', 200, ['principal']),
  route('PUT', '/api/v1/mandates/me', 200, ['principal'], { body: { scopes: ['tools:call'], terms: [] }, headers: { 'if-match': '3' } }),
  route('POST', '/api/v1/mandates/preview', 200, ['principal'], { body: { scopes: ['tools:call'], terms: [], days: 7 } }),
  route('GET', '/api/v1/host', 200, ['principal', 'agent', 'operator']),
  route('GET', '/api/v1/health/findings', 200, ['principal', 'operator']),
  route('POST', '/api/v1/freeze', 200, ['principal', 'operator'], { body: { reason: 'looking' } }),
  route('POST', '/api/v1/thaw', 200, ['principal', 'operator']),
  route('POST', '/api/v1/config/reload', 200, ['operator']),
  route('GET', '/api/v1/me', 200, ['principal']),
  route('POST', '/api/v1/login', 200, ['open'], { body: { token: TOKENS.ada } }),
  route('POST', '/api/v1/logout', 204, ['principal']),
  route('GET', '/healthz', 200, ['open']),
  route('GET', '/readyz', 200, ['open']),
  route('GET', '/.well-known/oauth-protected-resource/mcp', 200, ['open']),
];
