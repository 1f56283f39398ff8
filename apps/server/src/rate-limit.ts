import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { presentedSecret } from './authenticate.ts';
import type { ServerSettings } from './ports.ts';
import { Refusal } from './problem.ts';

/**
 * Counts requests by the credential they present, whether it is a true one or not, so that a flood with one token costs no look-ups;
 * by address only where there is none. The counts live in this process: with several, a credential gets its share from each.
 */
export const registerRateLimit = (app: FastifyInstance, settings: ServerSettings): void => {
  app.register(rateLimit, {
    global: true,
    hook: 'onRequest',
    timeWindow: 60_000,
    max: () => settings.requestsPerMinute,
    cache: 20_000,
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false, 'retry-after': false },
    keyGenerator: (request) => {
      const secret = presentedSecret(request, settings.publicUrl);
      return secret === null ? `address ${request.ip}` : createHash('sha256').update(secret).digest('base64');
    },
    errorResponseBuilder: (_request, { ttl }) => {
      const retryAfterSeconds = Math.max(1, Math.ceil(ttl / 1000));
      return new Refusal({
        code: 'rate.limited',
        message: `Too many requests. Try again in ${retryAfterSeconds} s.`,
        detail: { retryAfterSeconds },
      });
    },
  });
};
