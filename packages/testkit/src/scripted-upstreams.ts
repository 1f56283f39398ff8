import { digestOf, type JsonObject, type PinnedTool, type ToolChange, type UpstreamReply, type Upstreams } from '@countersign/engine';

type CallOutcome = Awaited<ReturnType<Upstreams['call']>>;
export type SeenCall = { readonly tool: string; readonly args: JsonObject; readonly idempotencyKey: string };
type Behaviour = (call: SeenCall) => CallOutcome | Promise<CallOutcome>;

/** Upstream servers in memory, for tests of what stands before them: they count what reaches them and do as they are told. */
export type ScriptedUpstreams = Upstreams & {
  readonly seen: readonly SeenCall[];
  /** What the next calls do; by default they answer with the arguments they got. */
  behave(behaviour: Behaviour): void;
  /** Puts another definition under a tool's name, or takes it away with null, and announces it. */
  redefine(key: string, definition: JsonObject | null): void;
};

export const textReply = (text: string): UpstreamReply => ({ kind: 'result', result: { content: [{ type: 'text', text }] } });

/** `tools`: keys like `files__write_file`, each with its definition or with none of its own. */
export function scriptedUpstreams(tools: Readonly<Record<string, JsonObject>>): ScriptedUpstreams {
  const seen: SeenCall[] = [];
  const listeners = new Set<(change: ToolChange) => void>();
  let behaviour: Behaviour = ({ args }) => ({ ok: true, value: textReply(JSON.stringify(args)) });
  let pinned = new Map(Object.entries(tools).map(([key, definition]) => [key, pin(key, definition)]));
  let list = [...pinned.values()];
  return {
    seen,
    behave: (next) => {
      behaviour = next;
    },
    redefine: (key, definition) => {
      const before = pinned.get(key);
      const after = definition && pin(key, definition);
      pinned = new Map(pinned);
      if (after) pinned.set(key, after);
      else pinned.delete(key);
      list = [...pinned.values()];
      const change: ToolChange = {
        added: after && !before ? [after] : [],
        changed: before && after ? [{ before, after }] : [],
        removed: before && !after ? [before] : [],
      };
      for (const listener of listeners) listener(change);
    },
    tools: () => list,
    tool: (key) => pinned.get(key),
    status: () => [],
    call: async (key, args, { idempotencyKey }) => {
      const call = { tool: key, args, idempotencyKey };
      seen.push(call);
      return await behaviour(call);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: async () => undefined,
    close: async () => undefined,
  };
}

function pin(key: string, own: JsonObject): PinnedTool {
  const [server = '', name = ''] = key.split('__');
  const definition = { name, inputSchema: { type: 'object' }, ...own };
  return {
    key,
    server,
    name,
    digest: digestOf(definition),
    definition,
    inputSchema: definition.inputSchema,
    hasOutputSchema: 'outputSchema' in own,
  };
}
