import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { bearer } from './loopback.ts';

/** The v1 SDK's client: what nearly every agent runs, 2025 revisions. */
export async function legacyClient(url: URL, secret?: string): Promise<LegacyClient> {
  const client = new LegacyClient({ name: 'agent', version: '1' });
  const transport = new LegacyTransport(url, { requestInit: { headers: secret === undefined ? {} : bearer(secret) } });
  await client.connect(transport as Parameters<LegacyClient['connect']>[0]);
  onTestFinished(() => client.close());
  return client;
}

/** The v2 SDK's client, asking which revision is spoken (`auto`) or pinned to 2026-07-28. */
export async function modernClient(
  url: URL,
  secret?: string,
  mode: 'auto' | { pin: string } = { pin: '2026-07-28' },
): Promise<ModernClient> {
  const client = new ModernClient({ name: 'agent', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(url, { requestInit: { headers: secret === undefined ? {} : bearer(secret) } }));
  onTestFinished(() => client.close());
  return client;
}

type Call = { readonly name: string; readonly arguments: Record<string, unknown> };
type CallOptions = { readonly timeout?: number; readonly onprogress?: (progress: { progress: number }) => void };

/** One call with options, which the two libraries take in different places. */
export function call(client: LegacyClient | ModernClient, params: Call, options: CallOptions) {
  return client instanceof LegacyClient ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

export const textOf = (result: unknown): string =>
  (result as { content: { type: string; text: string }[] }).content.map((block) => block.text).join('\n');
