import { createHash } from 'node:crypto';
import type { Result } from '@countersign/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { doerOf } from './authenticate.ts';
import type { Operations, StoredAnswer } from './ports.ts';
import { PROBLEM_TYPE, problemOf, Refusal, sendProblem } from './problem.ts';

/** Sends what an operation returned: its value with `status`, or its failure with the status that the one table names. */
export const sendResult = <Value>(reply: FastifyReply, status: number, result: Result<Value>): FastifyReply =>
  result.ok ? reply.code(status).send(result.value) : sendProblem(reply, result.error);

const keyOf = (request: FastifyRequest): string | null => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new Refusal({ code: 'input.invalid', message: 'An Idempotency-Key is one header of 1 to 200 visible characters.' });
};

/** The route with its parameters, the body as parsed, and the version it builds on: all that makes one write differ from another. */
const digestOf = (request: FastifyRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([request.method, request.url, request.headers['if-match'] ?? null, request.body ?? null]))
    .digest('hex');

const answerOf = (result: Result<unknown>, status: number, requestId: string): StoredAnswer => {
  if (result.ok) return { status, body: result.value };
  const problem = problemOf(result.error, requestId);
  return { status: problem.status, body: problem };
};

/** A secret is shown once: a repeat learns that it was issued, and never what it was. */
const withoutSecret = (requestId: string): StoredAnswer => {
  const message =
    'This was issued under the same Idempotency-Key, and its secret was shown then. Revoke it and issue another if it is lost.';
  return { status: 409, body: problemOf({ code: 'conflict', message }, requestId) };
};

/**
 * Runs a write once for each Idempotency-Key and sends its Result. Without the header it just runs. A repeat gets the stored answer, marked
 * `Idempotent-Replayed: true`. Answers of 5xx are never stored: nothing happened, so the same key may try again.
 */
export const sendWrite = async <Value>(
  operations: Operations,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  run: () => Promise<Result<Value>>,
): Promise<FastifyReply> => {
  const key = keyOf(request);
  if (key === null) return sendResult(reply, status, await run());
  let isFirst = false;
  const outcome = await operations.idempotent(key, doerOf(request), digestOf(request), async () => {
    isFirst = true;
    const result = await run();
    const now = answerOf(result, status, request.id);
    const hides = result.ok && request.routeOptions.config.holdsSecret === true;
    return { now, later: now.status >= 500 ? null : hides ? withoutSecret(request.id) : now };
  });
  if (!outcome.ok) return sendProblem(reply, outcome.error);
  const { status: code, body } = outcome.value;
  if (!isFirst) reply.header('idempotent-replayed', 'true');
  if (code >= 400) reply.type(PROBLEM_TYPE);
  // A stored answer comes back from JSON, which knows no undefined.
  return reply.code(code).send(code === 204 ? undefined : body);
};
