import type { OwnToolName, Scope } from '@countersign/contracts';
import type { Caller, JsonObject } from '@countersign/engine';
import type * as z from 'zod';
import { notExecuted } from '../endpoint/agent-result.ts';
import type { EndpointDeps } from '../endpoint/endpoint-deps.ts';
import type { CallAnswer, Era } from '../endpoint/rpc.ts';
import type { ToolList } from '../endpoint/tool-list.ts';

/** What one of our own tools may use while it runs. */
export type OwnToolContext = {
  readonly deps: EndpointDeps;
  readonly caller: Caller;
  /** What else the caller has. */
  readonly list: ToolList;
  readonly era: Era;
  /** Names the piece of work that the call belongs to. */
  readonly origin: string;
  /** The longest that a call may wait here, in milliseconds. */
  readonly waitBudgetMs: number;
  /** Aborted when the caller cancels or leaves, and when the server stops. */
  readonly signal: AbortSignal;
};

/** One of our own tools as it is listed and run, its input type closed over. */
export type OwnTool = {
  readonly name: OwnToolName;
  readonly scope: Scope;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly run: (context: OwnToolContext, args: JsonObject) => Promise<CallAnswer>;
};

/** Arguments that do not fit the schema are a result that names each place, never a protocol error: a model can mend them. */
export function ownTool<Input extends z.ZodObject>(tool: {
  readonly name: OwnToolName;
  readonly scope: Scope;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly run: (context: OwnToolContext, input: z.output<Input>) => Promise<CallAnswer>;
}): OwnTool {
  return {
    ...tool,
    async run(context, args) {
      const parsed = tool.input.safeParse(args);
      if (!parsed.success) return invalidArguments(parsed.error);
      return tool.run(context, parsed.data as z.output<Input>);
    },
  };
}

function invalidArguments(error: z.ZodError): CallAnswer {
  const issues = error.issues.map(({ path, message }) => ({ path, message }));
  return {
    kind: 'result',
    result: notExecuted({ code: 'input.invalid', message: 'the arguments do not fit this tool.', detail: { issues } }),
  };
}

export const ownResult = (result: JsonObject): CallAnswer => ({ kind: 'result', result });
