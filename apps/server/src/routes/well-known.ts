import { PRINCIPAL_ONLY_SCOPE, Scope } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import type { ServerSettings } from '../ports.ts';

const ResourceMetadata = z.strictObject({
  resource: z.url(),
  resource_name: z.string(),
  bearer_methods_supported: z.array(z.literal('header')),
  scopes_supported: z.array(Scope),
});

/** Protected resource metadata (RFC 9728). No authorization server is named: credentials are issued by the host, not by OAuth. */
export const wellKnownRoutes =
  (settings: ServerSettings): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/.well-known/oauth-protected-resource/mcp',
      {
        config: { access: 'open' },
        schema: { summary: 'Protected resource metadata of /mcp', tags: ['MCP'], security: [], response: { 200: ResourceMetadata } },
      },
      async (_request, reply) =>
        reply.code(200).send({
          resource: `${settings.publicUrl}/mcp`,
          resource_name: 'Countersign',
          bearer_methods_supported: ['header'],
          scopes_supported: Scope.options.filter((scope) => scope !== PRINCIPAL_ONLY_SCOPE),
        }),
    );
  };
