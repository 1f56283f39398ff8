import { Stats, StatsQuery } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../authenticate.ts';
import { answers } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendResult } from '../send.ts';

export const statsRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/stats',
      {
        schema: {
          summary: 'What you were asked, and how it went: by day, rule and agent',
          tags: ['Stats'],
          querystring: StatsQuery,
          response: answers({ 200: Stats }),
        },
      },
      async (request, reply) => sendResult(reply, 200, await operations.readStats(callerOf(request), request.query)),
    );
  };
