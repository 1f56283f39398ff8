import { Agent, AgentInput, AgentPage, CredentialInput, CredentialPage, IssuedCredential, PageQuery } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { doerOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendResult, sendWrite } from '../send.ts';

const ByName = z.object({ name: z.string().max(100) });
const NO_WISHES = CredentialInput.parse({});
const tags = ['Agents'];
const HOSTS = { access: ['principal', 'operator'] } as const;

export const agentRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/agents',
      {
        config: { access: ['principal', 'agent', 'operator'], agentScope: 'directory:read' },
        schema: { summary: 'Agents', tags, querystring: PageQuery, response: answers({ 200: AgentPage }) },
      },
      async (request, reply) => sendResult(reply, 200, await operations.listAgents(doerOf(request), request.query)),
    );
    app.post(
      '/agents',
      {
        config: HOSTS,
        schema: write({ summary: 'Add an agent, on probation', tags, body: AgentInput, response: answers({ 201: Agent }) }),
      },
      async (request, reply) => sendWrite(operations, request, reply, 201, () => operations.createAgent(doerOf(request), request.body)),
    );
    app.post(
      '/agents/:name/admit',
      { config: HOSTS, schema: write({ summary: 'Make an agent a member', tags, params: ByName, response: answers({ 200: Agent }) }) },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, () => operations.admitAgent(doerOf(request), request.params.name)),
    );
    app.post(
      '/agents/:name/suspend',
      { config: HOSTS, schema: write({ summary: 'Suspend an agent', tags, params: ByName, response: answers({ 200: Agent }) }) },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, () => operations.suspendAgent(doerOf(request), request.params.name)),
    );
    app.get(
      '/agents/:name/credentials',
      {
        config: HOSTS,
        schema: {
          summary: 'Credentials of an agent',
          tags,
          params: ByName,
          querystring: PageQuery,
          response: answers({ 200: CredentialPage }),
        },
      },
      async (request, reply) =>
        sendResult(reply, 200, await operations.listCredentials(doerOf(request), request.params.name, request.query)),
    );
    app.post(
      '/agents/:name/credentials',
      {
        config: { ...HOSTS, holdsSecret: true },
        schema: write({
          summary: 'Issue a credential; its secret is shown once',
          tags,
          params: ByName,
          body: CredentialInput.nullable(),
          response: answers({ 201: IssuedCredential }),
        }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 201, () =>
          operations.issueCredential(doerOf(request), { agent: request.params.name }, request.body ?? NO_WISHES),
        ),
    );
  };
