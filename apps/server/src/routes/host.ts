import { FreezeInput, HostFindings, HostState, ok, ReloadReport } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { doerOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendResult, sendWrite } from '../send.ts';

const tags = ['Host'];
const HOSTS = { access: ['principal', 'operator'] } as const;

export const hostRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/host',
      {
        config: { access: ['principal', 'agent', 'operator'] },
        schema: { summary: 'Whether the host is frozen', tags, response: answers({ 200: HostState }) },
      },
      async (_request, reply) => sendResult(reply, 200, ok(await operations.hostState())),
    );
    app.get(
      '/health/findings',
      {
        config: HOSTS,
        schema: {
          summary: 'What keeps decisions from people and calls from servers',
          description: 'For `countersign doctor`: what only the host can see of itself. A finding with severity `note` needs nobody.',
          tags,
          response: answers({ 200: HostFindings }),
        },
      },
      async (request, reply) => sendResult(reply, 200, ok(await operations.findFindings(doerOf(request)))),
    );
    app.post(
      '/freeze',
      {
        config: HOSTS,
        schema: write({
          summary: 'Stop every dispatch and ask about every call',
          tags,
          body: FreezeInput,
          response: answers({ 200: HostState }),
        }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, () => operations.freezeHost(doerOf(request), request.body.reason)),
    );
    app.post(
      '/thaw',
      { config: HOSTS, schema: write({ summary: 'Lift the freeze', tags, response: answers({ 200: HostState }) }) },
      async (request, reply) => sendWrite(operations, request, reply, 200, () => operations.thawHost(doerOf(request))),
    );
    app.post(
      '/config/reload',
      {
        config: { access: ['operator'] },
        schema: write({
          summary: 'Read the config file again, all or nothing',
          tags: ['Operator'],
          response: answers({ 200: ReloadReport }),
        }),
      },
      async (request, reply) => sendWrite(operations, request, reply, 200, () => operations.reloadConfig(doerOf(request))),
    );
  };
