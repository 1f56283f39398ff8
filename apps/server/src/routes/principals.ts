import {
  CredentialInput,
  IssuedCredential,
  LoginLink,
  ok,
  PageQuery,
  Principal,
  PrincipalInput,
  PrincipalPage,
} from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { doerOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Operations, ServerSettings } from '../ports.ts';
import { sendResult, sendWrite } from '../send.ts';

const ByName = z.object({ name: z.string().max(100) });
const NO_WISHES = CredentialInput.parse({});
const tags = ['Operator'];
const OPERATOR = { access: ['operator'] } as const;

export const principalRoutes =
  (operations: Operations, settings: ServerSettings): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/principals',
      { config: OPERATOR, schema: { summary: 'Principals', tags, querystring: PageQuery, response: answers({ 200: PrincipalPage }) } },
      async (request, reply) => sendResult(reply, 200, await operations.listPrincipals(doerOf(request), request.query)),
    );
    app.post(
      '/principals',
      {
        config: OPERATOR,
        schema: write({ summary: 'Add a principal', tags, body: PrincipalInput, response: answers({ 201: Principal }) }),
      },
      async (request, reply) => sendWrite(operations, request, reply, 201, () => operations.createPrincipal(doerOf(request), request.body)),
    );
    app.post(
      '/principals/:name/login-link',
      {
        config: { ...OPERATOR, holdsSecret: true },
        schema: write({ summary: 'A link that logs a principal in, once', tags, params: ByName, response: answers({ 201: LoginLink }) }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 201, async () => {
          const link = await operations.issueLoginLink(doerOf(request), request.params.name);
          return link.ok ? ok({ url: `${settings.publicUrl}/login/${link.value.token}`, expiresAt: link.value.expiresAt }) : link;
        }),
    );
    app.post(
      '/principals/:name/token',
      {
        config: { ...OPERATOR, holdsSecret: true },
        schema: write({
          summary: "Issue a principal's token; its secret is shown once",
          tags,
          params: ByName,
          body: CredentialInput.nullable(),
          response: answers({ 201: IssuedCredential }),
        }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 201, () =>
          operations.issueCredential(doerOf(request), { principal: request.params.name }, request.body ?? NO_WISHES),
        ),
    );
  };
