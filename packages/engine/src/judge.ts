/** The gate's reading half: puts together what `classify` needs and asks it. Nothing here decides; `core` does. */
import type { Digest, Hop } from '@countersign/contracts';
import { type CallFacts, type CompiledMandate, classify, type GateContext, isVisible, titleFor, type Verdict } from '@countersign/core';
import type { LimitedTerm } from '@countersign/store';
import type { Freshness } from './authority.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { limitedAmong } from './term-uses.ts';
import type { JsonObject, PinnedTool } from './upstreams.ts';

/** The work that a call belongs to, as the server recorded it. */
export type Work = {
  readonly run: string;
  /** From the root down to this run. */
  readonly chain: readonly Hop[];
  /** The root's task: its principal's own words, never a question that an agent asked. */
  readonly task: string | null;
  /** Nothing of this run outlives it; null where nothing bounds it. */
  readonly expiresAt: string | null;
};

export type Judgement = {
  readonly verdict: Verdict;
  readonly tool: PinnedTool;
  readonly args: JsonObject;
  /** The card's headline, from a rule's `title` or made of the agent's and the tool's names. */
  readonly title: string;
  /** The rules that can apply to this tool, as they were. */
  readonly rulesDigest: Digest;
  readonly mandateVersions: Readonly<Record<string, number>>;
  readonly authority: number;
  /** Of the terms that cover the call, those that allow a number of calls. */
  readonly limited: readonly LimitedTerm[];
};

export type EarlierNo = GateContext['earlierNo'];

/** Who the call is made as: an agent, or a principal calling by itself. */
export const actingName = (caller: Caller): string => caller.agent?.name ?? caller.principal?.name ?? 'anonymous';

/** Whether a caller has a tool at all: the one visibility rule, for list and for call. */
export const hasTool = (deps: EngineDeps, caller: Caller, key: string): boolean =>
  deps.upstreams.tool(key) !== undefined && isVisible(key, caller.scopes);

/**
 * Judges one call of a tool that the caller has, under the mandates of its whole chain as they are now. What comes out was read at the oldest
 * authority version of all that went in.
 */
export async function judge(
  deps: EngineDeps,
  caller: Caller,
  work: Work,
  tool: PinnedTool,
  args: JsonObject,
  earlierNo: EarlierNo = [],
  freshness: Freshness = 'cached',
): Promise<Judgement> {
  const { host, tools } = await deps.authority.host(freshness);
  const known = tools.get(tool.key);
  const rules = deps.rules();
  const principal = caller.principal?.name ?? '';
  const facts: CallFacts = {
    tool: tool.key,
    server: tool.server,
    name: tool.name,
    args,
    agent: { name: actingName(caller), principal, status: caller.agent?.status ?? 'member' },
    chain: work.chain,
    task: work.task ?? '',
    now: deps.now(),
  };
  const above = await deps.authority.ofAgents(
    work.chain.slice(0, -1).map((hop) => hop.agent),
    'cached',
  );
  const mandates = mandatesAlong(caller, above);
  const verdict = classify(facts, {
    rules,
    mandates,
    tool: toolState(known, tool),
    frozen: host.frozen && { by: host.frozen.by, reason: host.frozen.reason },
    earlierNo,
  });
  return {
    verdict,
    tool,
    args,
    title: titleFor(rules, verdict.grounds, facts) ?? `${facts.agent.name} asks: ${tool.key}`,
    rulesDigest: rules.digestFor(tool.key, `${tool.server}__${tool.name}`),
    mandateVersions: Object.fromEntries(mandates.map((mandate) => [mandate.principal, mandate.version])),
    authority: Math.min(host.authority, caller.authority, ...above.map((one) => one?.authority ?? host.authority)),
    limited: limitedAmong(mandates, verdict.covered),
  };
}

/** The caller's mandate first, then those of the other principals of the chain, each once. One that is missing here covers nothing. */
function mandatesAlong(caller: Caller, above: readonly (Caller | null)[]): readonly CompiledMandate[] {
  const mandates = caller.mandate ? [caller.mandate] : [];
  for (const hop of above) {
    if (hop?.mandate && !mandates.some((mandate) => mandate.principal === hop.mandate?.principal)) mandates.push(hop.mandate);
  }
  return mandates;
}

function toolState(known: { state: string; acceptedDigest: Digest } | undefined, tool: PinnedTool): GateContext['tool'] {
  if (!known) return { state: 'quarantined', reason: 'This tool is not registered yet.' };
  if (known.state === 'quarantined' || known.acceptedDigest !== tool.digest) {
    return { state: 'quarantined', reason: 'The definition of this tool changed, and no principal has accepted the new one yet.' };
  }
  return { state: 'accepted' };
}

const NONE: readonly PinnedTool[] = [];

/** The upstream tools that exist for a caller: the same array for as long as nothing changed. */
export const visibleTools = (deps: EngineDeps, caller: Caller): readonly PinnedTool[] =>
  caller.scopes.includes('tools:call') ? asAccepted(deps.upstreams.tools(), deps.authority.toolsRead()) : NONE;

type Rows = ReturnType<EngineDeps['authority']['toolsRead']>;
const listed = new WeakMap<readonly PinnedTool[], { readonly rows: Rows; readonly tools: readonly PinnedTool[] }>();

/**
 * What servers offer, each tool by the definition that was accepted: what a server changed since is shown to people, who decide about it, and
 * not to agents' models, which would act on it.
 */
function asAccepted(offered: readonly PinnedTool[], rows: Rows): readonly PinnedTool[] {
  const known = listed.get(offered);
  if (known?.rows === rows) return known.tools;
  const isAsAccepted = (tool: PinnedTool): boolean => (rows.get(tool.key)?.acceptedDigest ?? tool.digest) === tool.digest;
  const tools = offered.every(isAsAccepted) ? offered : offered.map((tool) => (isAsAccepted(tool) ? tool : acceptedForm(tool, rows)));
  listed.set(offered, { rows, tools });
  return tools;
}

function acceptedForm(tool: PinnedTool, rows: Rows): PinnedTool {
  const row = rows.get(tool.key);
  if (!row) return tool;
  const definition = JSON.parse(row.definition) as JsonObject;
  const inputSchema = (definition.inputSchema ?? {}) as JsonObject;
  return { ...tool, digest: row.acceptedDigest, definition, inputSchema, hasOutputSchema: 'outputSchema' in definition };
}
