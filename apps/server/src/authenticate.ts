import type { Failure, Scope } from '@countersign/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Doer, Operations, ServerSettings } from './ports.ts';
import { sendProblem } from './problem.ts';
import { isCsrfToken, readSessionCookie } from './session-cookie.ts';

type Kind = 'agent' | 'principal' | 'operator';
/** Who may use a route. A route that says nothing is for principals alone; `open` asks for no credential. */
export type Access = 'open' | readonly Kind[];

/** Who sent a request, and how it proved it. */
export type Sender = { readonly doer: Doer; readonly kind: Kind; readonly secret: string; readonly byCookie: boolean };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** What an agent's credential needs besides being one; principals hold it by being principals. */
    agentScope?: Scope;
    /** The answer holds a secret that must not be kept for a repeat. */
    holdsSecret?: boolean;
  }
  interface FastifyRequest {
    sender: Sender | null;
  }
}

const MISSING: Failure = {
  code: 'credential.missing',
  message: 'This needs a credential: log in, or send Authorization: Bearer with a token.',
};
const INVALID: Failure = { code: 'credential.invalid', message: 'The credential is unknown, expired or revoked. Get a new one.' };
const NO_CSRF: Failure = {
  code: 'csrf.missing',
  message: 'A write with a session needs the X-CSRF-Token of GET /api/v1/me. Reload the page.',
};

const FORBIDDEN: Record<Kind, string> = {
  agent: "An agent's credential cannot do this, whatever its scopes; a principal can.",
  principal: 'Only the operator of this host can do this.',
  operator: 'The operator cannot do this; a principal can, with a login of their own.',
};

const presented = (request: FastifyRequest, publicUrl: string): { readonly secret: string; readonly byCookie: boolean } | null => {
  const header = request.headers.authorization;
  if (header !== undefined) return { secret: /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1] ?? '', byCookie: false };
  const cookie = readSessionCookie(request, publicUrl);
  return cookie === null ? null : { secret: cookie, byCookie: true };
};

/**
 * What a request presents to prove who it is, true or not, for counting requests by credential. A cookie proves nothing at /mcp, where whoever
 * invents one is as anonymous as without it.
 */
export const presentedSecret = (request: FastifyRequest, publicUrl: string): string | null => {
  const given = presented(request, publicUrl);
  return given === null || (given.byCookie && request.routeOptions.url === '/mcp') ? null : given.secret;
};

const identify = async (operations: Operations, secret: string, byCookie: boolean): Promise<Sender | null> => {
  if (!byCookie && secret.startsWith('cso_')) {
    return (await operations.isOperator(secret)) ? { doer: { operator: true }, kind: 'operator', secret, byCookie } : null;
  }
  const resolved = secret === '' ? null : await operations.resolveCaller(secret);
  const caller = resolved?.ok ? resolved.value : null;
  const held = caller?.credential?.kind;
  // A session lives in a cookie and everything else in a header: neither stands in for the other.
  if (caller === null || held === undefined || (held === 'session') !== byCookie) return null;
  return { doer: { caller }, kind: caller.lane === 'principal' && held !== 'agent' ? 'principal' : 'agent', secret, byCookie };
};

const mayUse = (sender: Sender, access: readonly Kind[], scope: Scope | undefined): Failure | null => {
  if (!access.includes(sender.kind)) return { code: 'credential.forbidden', message: FORBIDDEN[sender.kind] };
  if (sender.kind !== 'agent' || scope === undefined || !('caller' in sender.doer) || sender.doer.caller.scopes.includes(scope))
    return null;
  return { code: 'credential.forbidden', message: `This credential does not have the scope ${scope} right now.` };
};

const isWrite = (request: FastifyRequest): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(request.method);

/** The hook that stands before every route; it leaves the sender on the request, or answers 401 or 403 itself. */
export const createAuthentication =
  (operations: Operations, settings: ServerSettings) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { access = ['principal'], agentScope } = request.routeOptions.config;
    if (access === 'open' || request.is404) return undefined;
    const given = presented(request, settings.publicUrl);
    if (given === null) return sendProblem(reply, MISSING);
    const sender = await identify(operations, given.secret, given.byCookie);
    if (sender === null) return sendProblem(reply, INVALID);
    const refusal = mayUse(sender, access, agentScope);
    if (refusal !== null) {
      const { id = null } = (request.params ?? {}) as { id?: string };
      await operations.recordForbidden(sender.doer, { route: `${request.method} ${request.routeOptions.url}`, id });
      return sendProblem(reply, refusal);
    }
    if (sender.byCookie && isWrite(request) && !isCsrfToken(sender.secret, String(request.headers['x-csrf-token'] ?? ''))) {
      return sendProblem(reply, NO_CSRF);
    }
    request.sender = sender;
    return undefined;
  };

const senderOf = (request: FastifyRequest): Sender => {
  if (request.sender === null) throw new Error(`Route ${request.routeOptions.url} is open, yet asks who is calling.`);
  return request.sender;
};

/** Who does it, on routes that the operator may use too. */
export const doerOf = (request: FastifyRequest): Doer => senderOf(request).doer;

/** The caller, on routes that are closed to the operator. */
export const callerOf = (request: FastifyRequest): Caller => {
  const { doer } = senderOf(request);
  if (!('caller' in doer)) throw new Error(`Route ${request.routeOptions.url} lets the operator in, yet asks for a caller.`);
  return doer.caller;
};

export const sessionOf = (request: FastifyRequest): string | null => {
  const { secret, byCookie } = senderOf(request);
  return byCookie ? secret : null;
};
