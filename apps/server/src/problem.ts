import { STATUS_CODES } from 'node:http';
import type { Failure, Problem } from '@countersign/contracts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { HTTP_STATUS } from './http-status.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** A failure on its way out of a hook or a parser, where Fastify takes nothing but a throw. */
export class Refusal extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** RFC 9457. `failure.detail` is public and becomes `context`; `status` is given only where HTTP knows a finer word than the code does. */
export const problemOf = (failure: Failure, requestId?: string, status: number = HTTP_STATUS[failure.code]): Problem => ({
  type: `urn:countersign:error:${failure.code}`,
  title: STATUS_CODES[status] ?? 'Error',
  status,
  code: failure.code,
  detail: failure.message,
  ...(requestId === undefined ? {} : { requestId }),
  ...(failure.detail === undefined ? {} : { context: { ...failure.detail } }),
});

export const sendProblem = (reply: FastifyReply, failure: Failure, status?: number): FastifyReply => {
  const problem = problemOf(failure, reply.request.id, status);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="countersign"');
  const wait = failure.detail?.retryAfterSeconds;
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  return reply.code(problem.status).type(PROBLEM_TYPE).send(problem);
};

// Fastify's own refusals of a request. Their messages may repeat what was sent, so none of them is passed on.
const FASTIFY_FAILURES: Record<string, Failure> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'ingress.too_large', message: 'The body is larger than this server takes.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'input.invalid', message: 'Send the body as application/json.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'input.invalid', message: 'The body is not as long as its Content-Length says.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'input.invalid', message: 'The body is empty.' },
};

const failureOf = (error: unknown): Failure | null => {
  if (error instanceof Refusal) return error.failure;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.map(({ instancePath, message }) => ({ path: instancePath, message: message ?? 'is not valid' }));
    const where = error.validationContext ?? 'request';
    const [first] = issues;
    const place = first === undefined || first.path === '/' ? where : `${where} ${first.path}`;
    return {
      code: 'input.invalid',
      message: `The request does not fit the schema: ${place}: ${first?.message}`,
      detail: { in: where, issues },
    };
  }
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code !== undefined && Object.hasOwn(FASTIFY_FAILURES, code)) return FASTIFY_FAILURES[code] ?? null;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { code: 'input.invalid', message: 'The request cannot be read.' };
  return null;
};

/** Everything that was thrown ends here. What is not a known refusal is a bug: the caller gets the request id, the log gets the cause. */
export const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const failure = failureOf(error);
  if (failure !== null) return sendProblem(reply, failure);
  request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed');
  return sendProblem(reply, { code: 'internal', message: `Something broke here. The log has the cause under ${request.id}.` });
};
