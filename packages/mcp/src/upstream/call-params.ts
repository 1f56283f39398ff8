import { META } from '@countersign/contracts';
import type { JsonObject } from '@countersign/engine';

/** The protocol's own keys describe one hop, and ours stand between the agent and us: neither is passed on. */
const ONE_HOP = /^(?:[^./]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?|io\.countersign)\//i;

export type CallMeta = {
  readonly idempotencyKey: string;
  /** The caller's `_meta`; traceparent, tracestate and baggage travel in it. */
  readonly meta?: JsonObject;
  readonly progressToken?: number;
  readonly requestMeta: JsonObject;
  /** The next round of a call that the upstream answered with `input_required`; both parts go as they came. */
  readonly resume?: Resume;
};
export type Resume = { readonly requestState?: string; readonly inputResponses?: JsonObject };

/** The params of a tools/call. `args` is the very object that was judged: it is put in as it is. */
export function callParams(name: string, args: JsonObject, call: CallMeta): JsonObject {
  const passed = Object.entries(call.meta ?? {}).filter(([key]) => key !== 'progressToken' && !ONE_HOP.test(key));
  const _meta = {
    ...Object.fromEntries(passed),
    ...call.requestMeta,
    [META.idempotencyKey]: call.idempotencyKey,
    ...(call.progressToken === undefined ? {} : { progressToken: call.progressToken }),
  };
  return { name, arguments: args, ...call.resume, _meta };
}
