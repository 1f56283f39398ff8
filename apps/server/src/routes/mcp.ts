import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerDeps } from '../ports.ts';
import { PROBLEM_TYPE, problemOf } from '../problem.ts';

/**
 * Hands /mcp over with the bytes as they came: whoever judges a call must see what the caller sent, not what a parser made of it.
 * Credentials and lanes are decided there; Host, Origin, the size and the rate are checked here first.
 */
export const mcpRoutes =
  ({ mcp, config }: Pick<ServerDeps, 'mcp' | 'config'>) =>
  async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: config.bodyBytes }, (_request, body, done) => done(null, body));

    const handOver = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
      reply.hijack();
      try {
        await mcp.handle(request.raw, reply.raw, Buffer.isBuffer(request.body) ? request.body : null);
      } catch (error) {
        request.log.error({ err: error, requestId: request.id, route: '/mcp' }, 'request failed');
        if (reply.raw.headersSent) return void reply.raw.destroy();
        const problem = problemOf(
          { code: 'internal', message: `Something broke here. The log has the cause under ${request.id}.` },
          request.id,
        );
        reply.raw.writeHead(500, { 'content-type': PROBLEM_TYPE }).end(JSON.stringify(problem));
      }
    };
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      config: { access: 'open' },
      exposeHeadRoute: false,
      schema: { hide: true },
      handler: handOver,
    });
  };
