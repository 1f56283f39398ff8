import { Mandate, MandateInput, MandatePreview, MandatePreviewInput } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendProblem } from '../problem.ts';
import { sendResult, sendWrite } from '../send.ts';

const tags = ['Mandate'];

/** A version as `If-Match` carries it: `7`, or `"7"` as HTTP would quote it. */
const versionOf = (header: string | undefined): number | null => {
  const digits = /^(?:"(\d{1,15})"|(\d{1,15}))$/.exec(header ?? '');
  return digits === null ? null : Number(digits[1] ?? digits[2]);
};

export const mandateRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/mandates/me', { schema: { summary: 'Your terms', tags, response: answers({ 200: Mandate }) } }, async (request, reply) =>
      sendResult(reply, 200, await operations.getMandate(callerOf(request))),
    );
    app.put(
      '/mandates/me',
      {
        schema: write({
          summary: 'Change your terms; needs If-Match with the version you read',
          tags,
          body: MandateInput,
          response: answers({ 200: Mandate }),
        }),
      },
      async (request, reply) => {
        const version = versionOf(request.headers['if-match']);
        if (version === null)
          return sendProblem(
            reply,
            { code: 'input.invalid', message: 'Send If-Match with the version of the mandate that you read.' },
            428,
          );
        const { scopes, terms, budget } = request.body;
        const input = budget === undefined ? { scopes, terms } : { scopes, terms, budget };
        return sendWrite(operations, request, reply, 200, () => operations.setMandate(callerOf(request), input, version));
      },
    );
    app.post(
      '/mandates/preview',
      {
        schema: {
          summary: 'What other terms would have made of recorded calls; nothing changes',
          description: 'At most 5,000 calls, the newest first; `warnings` says where there were more.',
          tags,
          body: MandatePreviewInput,
          response: answers({ 200: MandatePreview }),
        },
      },
      async (request, reply) => sendResult(reply, 200, await operations.previewMandate(callerOf(request), request.body)),
    );
  };
