import {
  type ErrorCode,
  fail,
  ok,
  type Result,
  type RuleTable,
  type ToolDetail,
  type TryInput,
  type TryReport,
} from '@countersign/contracts';
import { explain, isJsonObject, ruleTable, toolRows } from '@countersign/core';
import { listTools } from '@countersign/store';
import type { Caller } from './caller.ts';
import { checkArguments } from './check-arguments.ts';
import { type EngineDeps, toolConfig } from './deps.ts';
import { redactedPaths } from './redact-paths.ts';
import type { JsonObject } from './upstreams.ts';

/** The rules in evaluation order, and what they say to each known tool. */
export async function describeRules(deps: EngineDeps): Promise<RuleTable> {
  const rules = deps.rules();
  const tools = await listTools(deps.store.db);
  return {
    digest: rules.digest,
    rules: [...ruleTable(rules)],
    tools: [
      ...toolRows(
        rules,
        tools.map(({ key, server, name, state }) => ({ tool: key, plain: `${server}__${name}`, state })),
      ),
    ],
  };
}

/** One tool that is known here, gone ones included: its accepted definition, and what the host declares about it. */
export async function describeTool(deps: EngineDeps, key: string): Promise<Result<ToolDetail, 'tool.unknown'>> {
  const { tools } = await deps.authority.host('current');
  const record = tools.get(key);
  if (!record) return fail('tool.unknown', `There is no tool ${key}.`);
  const declared = deps.config().tools;
  const own = toolConfig(declared, key);
  return ok({
    tool: record.key,
    server: record.server,
    state: record.state,
    digest: record.acceptedDigest,
    definition: JSON.parse(record.definition) as Record<string, unknown>,
    idempotent: own?.idempotent ?? false,
    cost: own?.cost ?? null,
    redact: [...redactedPaths(declared, key)],
  });
}

/** What the gate would say to one call, and what each rule and term said. Nothing is recorded or run. */
export async function tryCall(deps: EngineDeps, viewer: Caller, input: TryInput): Promise<Result<TryReport, ErrorCode>> {
  const tool = deps.upstreams.tool(input.tool);
  if (!tool) return fail('tool.unknown', `There is no tool ${input.tool}.`);
  const agent = input.agent ? await deps.authority.ofAgent(input.agent) : viewer;
  if (!agent || (input.agent && agent.principal?.name !== viewer.principal?.name))
    return fail('not_found', `You have no agent ${input.agent}.`);
  const { host, tools } = await deps.authority.host('current');
  const args = (typeof input.arguments === 'object' && input.arguments !== null ? input.arguments : {}) as JsonObject;
  const report = explain(
    {
      tool: tool.key,
      server: tool.server,
      name: tool.name,
      args,
      agent: {
        name: agent.agent?.name ?? agent.principal?.name ?? '',
        principal: agent.principal?.name ?? '',
        status: agent.agent?.status ?? 'member',
      },
      chain: [],
      task: '',
      now: deps.now(),
    },
    {
      rules: deps.rules(),
      mandates: agent.mandate ? [agent.mandate] : [],
      tool: tools.get(tool.key)?.state === 'quarantined' ? { state: 'quarantined' } : { state: 'accepted' },
      frozen: host.frozen && { by: host.frozen.by, reason: host.frozen.reason },
      earlierNo: [],
    },
  );
  return ok({
    ...report,
    schemaProblem: isJsonObject(input.arguments) ? checkArguments(tool, input.arguments) : 'arguments must be object',
  });
}
