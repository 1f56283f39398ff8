import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import type { Operations, ServerSettings } from '../ports.ts';
import { setSessionCookie } from '../session-cookie.ts';

const ByToken = z.object({ token: z.string().max(200) });

// The page holds nothing that came with the request, so there is nothing to escape.
const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Countersign</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="/inbox.css"></head><body class="plain"><main><h1>${title}</h1>${body}</main></body></html>`;

const sendPage = (reply: FastifyReply, status: number, title: string, body: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(page(title, body));

/**
 * A login link: the GET shows one button and looks nothing up, so a mail scanner that follows the link uses nothing and learns nothing (E3).
 * The POST, which carries our own Origin or none, redeems it.
 */
export const loginRoutes =
  (operations: Operations, settings: ServerSettings): FastifyPluginAsyncZod =>
  async (app) => {
    // The form has no fields; whatever stands in its body is not read.
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer', bodyLimit: 1024 }, (_request, _body, done) =>
      done(null, null),
    );
    const config = { access: 'open' } as const;
    app.get('/login/:token', { config, schema: { hide: true, params: ByToken } }, async (_request, reply) =>
      sendPage(
        reply,
        200,
        'Log in',
        '<p>This link logs you in on this browser, once.</p><form method="post"><button class="primary">Log in</button></form>',
      ),
    );
    app.post('/login/:token', { config, schema: { hide: true, params: ByToken } }, async (request, reply) => {
      const session = await operations.redeemLogin(request.params.token);
      if (session.ok) return setSessionCookie(reply, settings.publicUrl, session.value).redirect('/', 303);
      const help =
        '<p>It was used already, or it is too old. Whoever runs this host makes a new one: <code>countersign login NAME</code>.</p>';
      return sendPage(reply, 410, 'This link does not work any more', help);
    });
  };
