import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { createAuthentication } from './authenticate.ts';
import { createEventHub } from './event-hub.ts';
import { registerOpenApi } from './openapi.ts';
import { createOriginCheck } from './origin.ts';
import { registerPages } from './pages.ts';
import type { ServerDeps } from './ports.ts';
import { handleError, Refusal, sendProblem } from './problem.ts';
import { registerRateLimit } from './rate-limit.ts';
import { agentRoutes } from './routes/agents.ts';
import { apiDescriptionRoutes } from './routes/api-description.ts';
import { auditRoutes } from './routes/audit.ts';
import { credentialRoutes } from './routes/credentials.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { hostRoutes } from './routes/host.ts';
import { loginRoutes } from './routes/login.ts';
import { mandateRoutes } from './routes/mandates.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { meRoutes } from './routes/me.ts';
import { principalRoutes } from './routes/principals.ts';
import { ruleRoutes } from './routes/rules.ts';
import { statsRoutes } from './routes/stats.ts';
import { wellKnownRoutes } from './routes/well-known.ts';

const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    manifestSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

const addGuards = (app: FastifyInstance, { operations, config }: ServerDeps): void => {
  const checkOrigin = createOriginCheck();
  const portInUse = (): number => {
    const address = app.server.address();
    return typeof address === 'object' && address !== null ? address.port : config.port;
  };
  app.addHook('onRequest', async (request, reply) => {
    const refusal = checkOrigin({ publicUrl: config.publicUrl, host: config.host, port: portInUse() }, request.headers);
    if (refusal !== null) return sendProblem(reply, refusal);
    // No name, id or text holds one, and the database takes none: without this an address could make it fail.
    if (request.url.includes('%00')) return sendProblem(reply, { code: 'input.invalid', message: 'The address holds a NUL character.' });
  });
  registerRateLimit(app, config);
  // After the rate limit, which runs in onRequest, and before the body is read.
  app.decorateRequest('sender', null);
  const authenticate = createAuthentication(operations, config);
  app.addHook('preParsing', async (request, reply) => void (await authenticate(request, reply)));
  // What the API answers is for one reader and one moment.
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
};

const addJsonParser = (app: FastifyInstance, { readJson, config }: ServerDeps): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: config.bodyBytes }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const read = readJson(body as Buffer);
    if (read.ok) done(null, read.value.value);
    else done(new Refusal(read.error));
  });
};

const addRoutes = (app: FastifyInstance, deps: ServerDeps): void => {
  const { operations, config, changes } = deps;
  const hub = createEventHub(randomUUID().slice(0, 8));
  let leave: (() => void) | undefined;
  app.addHook('onReady', async () => {
    leave = changes.subscribe((notice) => hub.publish(notice));
  });
  app.addHook('onClose', async () => leave?.());

  app.register(
    async (api) => {
      api.register(decisionRoutes(operations));
      api.register(ruleRoutes(operations));
      api.register(statsRoutes(operations));
      api.register(agentRoutes(operations));
      api.register(credentialRoutes(operations));
      api.register(principalRoutes(operations, config));
      api.register(auditRoutes(operations));
      api.register(mandateRoutes(operations));
      api.register(hostRoutes(operations));
      api.register(meRoutes(operations, config));
    },
    { prefix: '/api/v1' },
  );
  app.register(eventRoutes(operations, config, hub));
  app.register(healthRoutes(operations));
  app.register(wellKnownRoutes(config));
  app.register(loginRoutes(operations, config));
  app.register(apiDescriptionRoutes);
  app.register(mcpRoutes(deps));
};

const addLogLine = (app: FastifyInstance): void => {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, id } = request;
    request.log.debug(
      { requestId: id, method, route: routeOptions.url ?? null, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    );
  });
};

/**
 * Lets `close()` end as soon as the last answer is sent. Node itself would wait for connections that go idle after the close began, and a minute
 * for those that never sent a request, which browsers and fetch open ahead of need.
 */
const letConnectionsGo = (app: FastifyInstance): void => {
  const silent = new Set<Socket>();
  let isClosing = false;
  app.server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage) => void silent.delete(socket));
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of silent) socket.destroy();
  });
  app.addHook('onResponse', async () => {
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
  });
};

/**
 * The HTTP side of Countersign: /mcp for agents, /api/v1 and /events for principals, the page's files. Starts nothing: no port, no timer, no
 * subscription before `ready()` or `listen()`; `close()` ends the event streams.
 */
export const buildServer = (deps: ServerDeps): FastifyInstance => {
  const app = Fastify({
    loggerInstance: deps.log,
    // Fastify's own lines hold whole addresses, and a login link is a secret.
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: handleError,
    genReqId: () => `req_${randomUUID()}`,
    requestIdHeader: false,
    bodyLimit: deps.config.bodyBytes,
    routerOptions: { maxParamLength: 200 },
    // Held calls and event streams take as long as they take.
    requestTimeout: 0,
  }) as unknown as FastifyInstance;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(handleError);
  // A login page sends its form with an Origin only where the referrer policy lets it, so not `no-referrer`.
  app.register(helmet, {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: deps.config.publicUrl.startsWith('https:'),
  });
  app.register(cookie);
  addGuards(app, deps);
  addJsonParser(app, deps);
  registerOpenApi(app, deps.version);
  addRoutes(app, deps);
  registerPages(app, deps.staticDir);
  addLogLine(app);
  letConnectionsGo(app);
  return app;
};
