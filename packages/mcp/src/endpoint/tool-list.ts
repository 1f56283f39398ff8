import { createHash } from 'node:crypto';
import type { Caller, JsonObject, PinnedTool } from '@countersign/engine';
import type { OwnTool } from '../tools/own-tool.ts';
import { ownToolDefinition, ownToolsFor } from '../tools/own-tools.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { type Era, isRecord } from './rpc.ts';

/** Everything that exists for one caller. */
export type ToolList = {
  readonly own: readonly OwnTool[];
  readonly upstream: ReadonlyMap<string, PinnedTool>;
  /** Equal for equal lists. */
  readonly fingerprint: string;
  /** The array of a tools/list answer, as JSON. */
  readonly json: (era: Era) => Buffer;
};

type ListDeps = Pick<EndpointDeps, 'visibleTools'>;

/**
 * The lists of callers, each serialised once per set of scopes and array of visible tools: five hundred tools for a hundred callers is then
 * no work. Nothing is shared between callers whose lists differ.
 */
export function createToolLists(deps: ListDeps): (caller: Caller) => ToolList {
  const known = new WeakMap<readonly PinnedTool[], Map<string, ToolList>>();
  return (caller) => {
    const visible = deps.visibleTools(caller);
    let byScopes = known.get(visible);
    if (!byScopes) {
      byScopes = new Map();
      known.set(visible, byScopes);
    }
    const scopes = [...caller.scopes].sort().join(' ');
    let list = byScopes.get(scopes);
    if (!list) {
      list = buildList(ownToolsFor(caller), visible);
      byScopes.set(scopes, list);
    }
    return list;
  };
}

/** Our own tools first, then the upstream ones by name, whatever order they were found in. */
function buildList(own: readonly OwnTool[], visible: readonly PinnedTool[]): ToolList {
  const sorted = [...visible].sort((a, b) => (a.key < b.key ? -1 : 1));
  const cached: Partial<Record<Era, Buffer>> = {};
  let fingerprint: string | undefined;
  return {
    own,
    upstream: new Map(sorted.map((tool) => [tool.key, tool])),
    get fingerprint() {
      fingerprint ??= createHash('sha256')
        .update(JSON.stringify([own.map(({ name }) => name), sorted.map((tool) => [tool.key, tool.digest])]))
        .digest('base64url');
      return fingerprint;
    },
    json(era) {
      cached[era] ??= Buffer.from(JSON.stringify([...own.map(ownToolDefinition), ...sorted.map((tool) => listed(tool, era))]));
      return cached[era];
    },
  };
}

/**
 * The definition as it was pinned, under the name that this server gives it. `execution` is left out: it says how the upstream's own hop runs
 * tasks, which this hop does not. A result schema that is no object can't be read by 2025 clients, which would drop the whole list over it.
 */
function listed(tool: PinnedTool, era: Era): JsonObject {
  const { execution: _, outputSchema, ...definition } = tool.definition;
  const keepsSchema = outputSchema !== undefined && (era === 'modern' || (isRecord(outputSchema) && outputSchema.type === 'object'));
  return { ...definition, name: tool.key, ...(keepsSchema && { outputSchema }) };
}
