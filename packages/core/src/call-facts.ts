import type { Hop } from '@countersign/contracts';

/**
 * All that a verdict may look at. What the tool says of itself (annotations, title, description, `serverInfo`) has no place here,
 * so no rule can read it.
 */
export type CallFacts = {
  /** `server__tool`, the key that rules and terms name. */
  readonly tool: string;
  readonly server: string;
  /** The upstream's own name of the tool. */
  readonly name: string;
  /** What the agent sent: anything at all. */
  readonly args: unknown;
  readonly agent: { readonly name: string; readonly principal: string; readonly status: 'probation' | 'member' | 'suspended' };
  /** From the principal's own request down to the run that makes the call; the server's record, never the agent's word. */
  readonly chain: readonly Hop[];
  /** The principal's own words at the root of the chain, or empty. Never a question that an agent wrote: `named` believes it. */
  readonly task: string;
  /** ISO 8601 UTC. */
  readonly now: string;
};

export type JsonObject = { readonly [key: string]: unknown };

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The arguments as rules see them: whatever is not an object counts as `{}`. */
export const argsOf = (args: unknown): JsonObject => (isJsonObject(args) ? args : {});
