import { AuditPage, AuditQuery } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../authenticate.ts';
import { answers } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendResult } from '../send.ts';

export const auditRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/audit',
      {
        config: { access: ['principal', 'agent'], agentScope: 'audit:read' },
        schema: { summary: 'What happened', tags: ['Audit'], querystring: AuditQuery, response: answers({ 200: AuditPage }) },
      },
      async (request, reply) => sendResult(reply, 200, await operations.queryAudit(callerOf(request), request.query)),
    );
  };
