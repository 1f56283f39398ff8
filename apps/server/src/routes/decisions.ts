import {
  AnswerInput,
  BulkAnswerInput,
  BulkAnswerReport,
  Decision,
  DecisionPage,
  DecisionQuery,
  DecisionRowPage,
  DecisionRowQuery,
  ExtendInput,
  ok,
  type Result,
  WithdrawInput,
} from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { callerOf } from '../authenticate.ts';
import { answers, write } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { problemOf } from '../problem.ts';
import { sendResult, sendWrite } from '../send.ts';

// Any text may be asked for: one that is no id, one that is unknown and one that is somebody else's answer alike.
const ById = z.object({ id: z.string().max(100) });
const tags = ['Decisions'];
const READ = { access: ['principal', 'agent'], agentScope: 'decisions:write' } as const;

const reportOf = (items: Awaited<ReturnType<Operations['answerDecisions']>>['items']): Result<BulkAnswerReport> =>
  ok({
    items: items.map(({ id, result }) => ({
      id: id as BulkAnswerReport['items'][number]['id'],
      ok: result.ok,
      decision: result.ok ? result.value : null,
      problem: result.ok ? null : problemOf(result.error),
    })),
  });

export const decisionRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/decisions',
      {
        config: READ,
        schema: {
          summary: 'Decisions that you may answer or that your agents asked for',
          tags,
          querystring: DecisionQuery,
          response: answers({ 200: DecisionPage }),
        },
      },
      async (request, reply) => sendResult(reply, 200, await operations.listDecisions(callerOf(request), request.query)),
    );
    app.get(
      '/decisions/rows',
      {
        config: READ,
        schema: {
          summary: 'The same as small rows, whatever the calls weigh',
          tags,
          querystring: DecisionRowQuery,
          response: answers({ 200: DecisionRowPage }),
        },
      },
      async (request, reply) => sendResult(reply, 200, await operations.listDecisionRows(callerOf(request), request.query)),
    );
    app.get(
      '/decisions/:id',
      { config: READ, schema: { summary: 'The whole record of one decision', tags, params: ById, response: answers({ 200: Decision }) } },
      async (request, reply) => sendResult(reply, 200, await operations.getDecision(callerOf(request), request.params.id)),
    );
    app.post(
      '/decisions/:id/answer',
      { schema: write({ summary: 'Approve or refuse', tags, params: ById, body: AnswerInput, response: answers({ 200: Decision }) }) },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, () => operations.answerDecision(callerOf(request), request.params.id, request.body)),
    );
    app.post(
      '/decisions/answers',
      {
        schema: write({
          summary: 'Answer many; each is reported',
          tags,
          body: BulkAnswerInput,
          response: answers({ 200: BulkAnswerReport }),
        }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, async () =>
          reportOf((await operations.answerDecisions(callerOf(request), request.body)).items),
        ),
    );
    app.post(
      '/decisions/:id/extend',
      { schema: write({ summary: 'Move the deadline', tags, params: ById, body: ExtendInput, response: answers({ 200: Decision }) }) },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, () => operations.extendDecision(callerOf(request), request.params.id, request.body)),
    );
    app.post(
      '/decisions/:id/withdraw',
      {
        config: READ,
        schema: write({ summary: 'Take a question back', tags, params: ById, body: WithdrawInput, response: answers({ 200: Decision }) }),
      },
      async (request, reply) =>
        sendWrite(operations, request, reply, 200, () =>
          operations.withdrawDecision(callerOf(request), request.params.id, request.body.reason),
        ),
    );
  };
