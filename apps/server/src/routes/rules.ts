import { ok, RuleTable, ToolDetail, TryInput, TryReport } from '@countersign/contracts';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { callerOf } from '../authenticate.ts';
import { answers } from '../openapi.ts';
import type { Operations } from '../ports.ts';
import { sendResult } from '../send.ts';

const tags = ['Rules'];
const ByTool = z.object({ tool: z.string().max(120) });

export const ruleRoutes =
  (operations: Operations): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/rules',
      {
        config: { access: ['principal', 'agent', 'operator'], agentScope: 'directory:read' },
        schema: { summary: 'The rules in evaluation order, and what they make of each tool', tags, response: answers({ 200: RuleTable }) },
      },
      async (_request, reply) => sendResult(reply, 200, ok(await operations.describeRules())),
    );
    app.get(
      '/tools/:tool',
      {
        schema: {
          summary: 'One upstream tool: its definition, and what the host declares of it',
          tags,
          params: ByTool,
          response: answers({ 200: ToolDetail }),
        },
      },
      async (request, reply) => sendResult(reply, 200, await operations.describeTool(request.params.tool)),
    );
    app.post(
      '/rules/try',
      {
        schema: {
          summary: 'What would become of this call; nothing is raised or run',
          tags,
          body: TryInput,
          response: answers({ 200: TryReport }),
        },
      },
      async (request, reply) => sendResult(reply, 200, await operations.tryCall(callerOf(request), request.body)),
    );
  };
