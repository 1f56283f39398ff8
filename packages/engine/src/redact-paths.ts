/** Where the host's `redact` paths point in a call's arguments. */
import type { ToolConfig } from '@countersign/contracts';
import { matchesPattern } from '@countersign/core';

export type Tools = Readonly<Record<string, ToolConfig>>;

/** A path as its keys, `args` left out; `*` is any key. */
type Path = readonly string[];

/** The paths that the host declared for a tool: those of every entry that names it, since a forgotten one would show what another hides. */
export const redactedPaths = (tools: Tools, tool: string): readonly string[] => [
  ...new Set(Object.entries(tools).flatMap(([pattern, { redact }]) => (matchesPattern(pattern, tool) ? redact : []))),
];

/** Whether the host hides anything anywhere. */
export const redactsAnything = (tools: Tools): boolean => Object.values(tools).some(({ redact }) => redact.length > 0);

/** Whether anything of a tool's arguments is hidden. */
export const redactsTool = (tools: Tools, tool: string): boolean => pathsOf(tools, tool).length > 0;

/** Tool names in events may be anybody's invention, so only so many are remembered. */
const KEPT = 10_000;
const parsed = new WeakMap<Tools, Map<string, readonly Path[]>>();

function pathsOf(tools: Tools, tool: string): readonly Path[] {
  const known = parsed.get(tools) ?? new Map<string, readonly Path[]>();
  parsed.set(tools, known);
  const paths = known.get(tool) ?? redactedPaths(tools, tool).map(keysOf);
  if (known.size < KEPT) known.set(tool, paths);
  return paths;
}

const KEY = /\.([^.[]+)|\[(?:"([^"]+)"|'([^']+)'|([^\]]+))\]/g;
const keysOf = (path: string): Path => [...path.matchAll(KEY)].map((found) => found.slice(1).find((key) => key !== undefined) ?? '');

const isKey = (wanted: string | undefined, key: string): boolean => wanted === '*' || wanted === key;

/**
 * The arguments with what stands at a tool's paths replaced by what `hide` makes of it. A path names a field at whatever depth it stands
 * below the fields that the path names before it.
 */
export function replaceRedacted(tools: Tools, tool: string, args: unknown, hide: (hidden: unknown) => unknown): unknown {
  const paths = pathsOf(tools, tool);
  const start = paths.map(() => 0);
  return paths.length === 0 ? args : walk(args, start);

  /** `reached`: how many of the fields of each path stand above `node`, in their order. */
  function walk(node: unknown, reached: readonly number[]): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((child, index) => visit(String(index), child, reached));
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, visit(key, child, reached)]));
  }

  function visit(key: string, child: unknown, reached: readonly number[]): unknown {
    if (paths.some((path, at) => reached[at] === path.length - 1 && isKey(path.at(-1), key))) return hide(child);
    const further = reached.map((place, at) => {
      const path = paths[at] ?? [];
      return place < path.length - 1 && isKey(path[place], key) ? place + 1 : place;
    });
    return walk(child, further);
  }
}
