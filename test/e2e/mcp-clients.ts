/** Agents as the field runs them: the clients of both SDK lines, and one result read the same way from either. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll } from 'vitest';

export type Result = {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
};
export type CallOptions = {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
};

/** What a test needs of an MCP client, whichever line it is from. */
export type Agent = {
  readonly call: (name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions) => Promise<Result>;
  readonly tools: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type Era = '2025-11-25' | '2026-07-28' | 'auto';

const open = new Set<{ close(): Promise<void> }>();
afterAll(async () => {
  await Promise.allSettled([...open].map((client) => client.close()));
});

/** `2025-11-25`: the v1 client. `2026-07-28`: the v2 client pinned to it. `auto`: the v2 client, asking. Closed after the test file. */
export async function connectAgent(mcp: string, token: string | null, era: Era = '2026-07-28'): Promise<Agent> {
  return era === '2025-11-25' ? await legacyAgent(mcp, token) : await modernAgent(mcp, token, era === 'auto' ? 'auto' : { pin: era });
}

const withToken = (token: string | null) => ({ requestInit: { headers: token === null ? {} : { authorization: `Bearer ${token}` } } });

async function legacyAgent(mcp: string, token: string | null): Promise<Agent> {
  const client = new LegacyClient({ name: 'e2e', version: '1' });
  const transport = new LegacyTransport(new URL(mcp), withToken(token));
  await client.connect(transport as Parameters<LegacyClient['connect']>[0]);
  open.add(client);
  return {
    call: async (name, args = {}, options = {}) => (await client.callTool({ name, arguments: { ...args } }, undefined, options)) as Result,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  };
}

async function modernAgent(mcp: string, token: string | null, mode: 'auto' | { readonly pin: string }): Promise<Agent> {
  const client = new ModernClient({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(new URL(mcp), withToken(token)));
  open.add(client);
  return {
    call: async (name, args = {}, options = {}) => (await client.callTool({ name, arguments: { ...args } }, options)) as Result,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  };
}

export const textOf = (result: Result): string => result.content.map((block) => block.text).join('\n');

/** The decision that a held result names; throws on any other result. */
export function heldAs(result: Result): string {
  const decision = result._meta?.['io.countersign/decision'] as { readonly id?: string } | undefined;
  if (!decision?.id) throw new Error(`It is not held: ${JSON.stringify(result).slice(0, 2000)}`);
  return decision.id;
}

/** How a call without an upstream result ended, such as `refused_by_rule`; undefined for an upstream's own result. */
export const codeOf = (result: Result): string | undefined =>
  (result._meta?.['io.countersign/outcome'] as { readonly code?: string } | undefined)?.code;
