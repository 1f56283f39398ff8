import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { UpstreamCommand } from './upstream-command.ts';

const newClient = () => new Client({ name: 'testkit', version: '1.0.0' });

/** A 2025-era client, connected to a child process that it starts with `env` and ends on `close()`. */
export async function connectStdio({ command, args }: UpstreamCommand, env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = newClient();
  await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' }));
  return client;
}

/** A 2025-era client, connected over Streamable HTTP; `headers` go with every request. */
export async function connectHttp(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = newClient();
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  await client.connect(transport as Transport);
  return client;
}
