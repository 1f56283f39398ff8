/** An agent that works on a question of another one: its calls carry the run token that came with the question. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Result } from '../e2e/mcp-clients.ts';

const RUN = 'io.countersign/run';

export type Asked = { readonly call: (name: string, args?: object, meta?: object) => Promise<Result>; readonly close: () => Promise<void> };

/** A client whose requests may carry `_meta`. */
export async function connectWithMeta(mcp: string, token: string): Promise<Asked> {
  const client = new Client({ name: 'browser-test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return {
    call: async (name, args = {}, meta = {}) => (await client.callTool({ name, arguments: { ...args }, _meta: { ...meta } })) as Result,
    close: () => client.close(),
  };
}

/** What to send along with every call within the question that this result brought. */
export function runOf(result: Result): object {
  const token = result._meta?.[RUN];
  if (typeof token !== 'string') throw new Error(`It brought no run token: ${JSON.stringify(result).slice(0, 500)}`);
  return { [RUN]: token };
}
