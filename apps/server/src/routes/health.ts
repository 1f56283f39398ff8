import { ok, Readiness } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import type { Operations } from '../ports.ts';
import { sendResult } from '../send.ts';

const tags = ['Host'];
const OPEN = { access: 'open', rateLimit: false } as const;

export const healthRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/healthz',
      {
        config: OPEN,
        schema: { summary: 'The process answers', tags, security: [], response: { 200: z.strictObject({ status: z.literal('ok') }) } },
      },
      async (_request, reply) => sendResult(reply, 200, ok({ status: 'ok' } as const)),
    );
    app.get(
      '/readyz',
      {
        config: OPEN,
        schema: { summary: 'Calls can be judged and recorded', tags, security: [], response: { 200: Readiness, 503: Readiness } },
      },
      async (_request, reply) => {
        const readiness = await operations.readiness();
        return sendResult(reply, readiness.ready ? 200 : 503, ok(readiness));
      },
    );
  };
