import { ServerEvent } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../authenticate.ts';
import type { EventHub } from '../event-hub.ts';
import { openEventStream } from '../event-stream.ts';
import { answers } from '../openapi.ts';
import type { Operations, ServerSettings } from '../ports.ts';
import { sendProblem } from '../problem.ts';

const KEEPALIVE_MS = 15_000;
const STREAMS_PER_PRINCIPAL = 20;
const STREAMS = 5000;
const TYPE = 'text/event-stream';

const limitReached = (limit: number) =>
  ({
    code: 'limit.reached',
    message: `${limit} event streams are open. Close one first.`,
    detail: { limit, retryAfterSeconds: 30 },
  }) as const;

export const eventRoutes =
  (operations: Operations, settings: ServerSettings, hub: EventHub): FastifyPluginAsyncZod =>
  async (app) => {
    const open = new Set<ReturnType<typeof openEventStream>>();
    app.addHook('preClose', async () => {
      for (const stream of open) stream.push(null);
    });
    const description =
      'Says which things changed, never their content. Reconnect with Last-Event-ID; `resync` means that some changes were missed.';
    const response = { ...answers({}), 200: { description, content: { [TYPE]: { schema: ServerEvent } } } };
    app.get(
      '/events',
      { exposeHeadRoute: false, schema: { summary: 'Changes, as server-sent events', tags: ['Events'], description, response } },
      async (request, reply) => {
        const principal = callerOf(request).principal?.name ?? '';
        const limit = settings.streamsPerPrincipal ?? STREAMS_PER_PRINCIPAL;
        if (hub.listeners(principal) >= limit) return sendProblem(reply, limitReached(limit));
        if (hub.listeners() >= STREAMS) return sendProblem(reply, limitReached(STREAMS));
        const { secret } = request.sender ?? { secret: null };
        const stream = openEventStream(hub, {
          principal,
          lastEventId: String(request.headers['last-event-id'] ?? '') || null,
          keepaliveMs: settings.keepaliveMs ?? KEEPALIVE_MS,
          isStillAllowed: async () => (await operations.resolveCaller(secret)).ok,
        });
        open.add(stream);
        stream.once('close', () => open.delete(stream));
        return reply
          .code(200)
          .headers({ 'content-type': TYPE, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
          .send(stream as never);
      },
    );
  };
