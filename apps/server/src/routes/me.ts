import { fail, LoginInput, Me, ok, type Result } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { callerOf, sessionOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Caller, Operations, ServerSettings } from '../ports.ts';
import { sendProblem } from '../problem.ts';
import { sendResult } from '../send.ts';
import { clearSessionCookie, csrfToken, setSessionCookie } from '../session-cookie.ts';

const tags = ['You'];

const describeMe = async (operations: Operations, caller: Caller, session: string | null): Promise<Result<Me>> => {
  const [principal, host] = await Promise.all([operations.principalOf(caller), operations.hostState()]);
  return principal.ok
    ? ok({ principal: principal.value, csrf: session === null ? null : csrfToken(session), frozen: host.frozen })
    : principal;
};

/** Only a principal's own token opens a session; an agent's credential or another session's secret does not. */
const principalBy = async (operations: Operations, token: string): Promise<Result<Caller>> => {
  const caller = await operations.resolveCaller(token);
  if (!caller.ok || caller.value.credential?.kind === 'principal') return caller;
  return fail('credential.forbidden', "A session is opened by a principal's token (csp_…).");
};

export const meRoutes =
  (operations: Operations, settings: ServerSettings): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/me', { schema: { summary: 'Who you are', tags, response: answers({ 200: Me }) } }, async (request, reply) =>
      sendResult(reply, 200, await describeMe(operations, callerOf(request), sessionOf(request))),
    );
    app.post(
      '/login',
      {
        config: { access: 'open' },
        schema: {
          summary: "Open a session from a principal's token",
          tags,
          security: [],
          body: LoginInput,
          response: answers({ 200: Me }),
        },
      },
      async (request, reply) => {
        const caller = await principalBy(operations, request.body.token);
        if (!caller.ok) return sendProblem(reply, caller.error);
        const session = await operations.openSession(caller.value);
        if (!session.ok) return sendProblem(reply, session.error);
        setSessionCookie(reply, settings.publicUrl, session.value);
        return sendResult(reply, 200, await describeMe(operations, caller.value, session.value.secret));
      },
    );
    app.post(
      '/logout',
      { schema: write({ summary: 'End the session', tags, response: answers({ 204: z.undefined().describe('Logged out') }) }) },
      async (request, reply) => {
        if (sessionOf(request) !== null) await operations.endSession(callerOf(request));
        return clearSessionCookie(reply, settings.publicUrl).code(204).send();
      },
    );
  };
