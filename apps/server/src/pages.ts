import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';

const NOT_PAGES = /^\/(?:api|mcp|events|login|healthz|readyz|\.well-known)(?:\/|$)/;

/** A person opened an address that the page itself understands, such as /decisions/dec_…; a missing file is still missing. */
const wantsPage = ({ method, headers, url }: FastifyRequest): boolean => {
  const [path = ''] = url.split('?', 1);
  return method === 'GET' && (headers.accept ?? '').includes('text/html') && !NOT_PAGES.test(path) && !/\.\w+$/.test(path);
};

// The plain page and the page to read the API stand in one folder, since they share their look.
const OWN_FILES = fileURLToPath(new URL('../public', import.meta.url));
export const API_PAGE = '/api/docs/';

const serveFolder = (app: FastifyInstance, root: string, prefix: string, index: string): void => {
  app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    await scope.register(fastifyStatic, {
      root,
      prefix,
      index,
      wildcard: false,
      redirect: prefix !== '/',
      decorateReply: false,
      cacheControl: false,
      // Revalidated each time: the page must fit the server that it talks to.
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    });
  });
};

/** Serves the page's files to anybody: they hold no data. What is no route and no file answers `not_found`, or the page for its own addresses. */
export const registerPages = (app: FastifyInstance, staticDir: string | null): void => {
  app.register(fastifyStatic, { root: staticDir ?? OWN_FILES, serve: false });
  serveFolder(app, OWN_FILES, API_PAGE, 'api.html');
  if (staticDir !== null) serveFolder(app, staticDir, '/', 'index.html');
  app.setNotFoundHandler(async (request, reply) => {
    if (staticDir !== null && wantsPage(request))
      return reply.header('cache-control', 'no-cache').sendFile('index.html', staticDir, { cacheControl: false });
    return sendProblem(reply, { code: 'not_found', message: 'There is nothing here.' });
  });
};
