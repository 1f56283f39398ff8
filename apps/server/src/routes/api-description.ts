import type { FastifyInstance } from 'fastify';

/** The OpenAPI document; a page to read it is among the static files. */
export const apiDescriptionRoutes = async (app: FastifyInstance): Promise<void> => {
  let document: string | undefined;
  app.get('/api/openapi.json', { config: { access: 'open' }, schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });
};
