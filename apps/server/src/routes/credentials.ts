import { ok } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { doerOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendWrite } from '../send.ts';

const ById = z.object({ id: z.string().max(100) });

export const credentialRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete(
      '/credentials/:id',
      {
        config: { access: ['principal', 'operator'] },
        schema: write({
          summary: 'Revoke a credential, at once',
          tags: ['Agents'],
          params: ById,
          response: answers({ 204: z.undefined().describe('Revoked') }),
        }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 204, async () => {
          const revoked = await operations.revokeCredential(doerOf(request), request.params.id);
          return revoked.ok ? ok(undefined) : revoked;
        }),
    );
  };
