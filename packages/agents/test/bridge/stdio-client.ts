import { PassThrough } from 'node:stream';
import { bridgeStdio } from '../../src/index.ts';

/** A client at the other end of the bridge's standard input and output. */
export function stdioClient(
  mcpUrl: string,
  { token = null, signal }: { readonly token?: string | null; readonly signal?: AbortSignal } = {},
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const logged: string[] = [];
  const ended = bridgeStdio({
    mcpUrl,
    token,
    input,
    output,
    signal: signal ?? new AbortController().signal,
    log: (line) => logged.push(line),
  });
  const lines = output[Symbol.asyncIterator]();
  let rest = '';
  return {
    logged,
    ended,
    /** Writes one line as it is. */
    say: (line: string | object) => void input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
    end: () => void input.end(),
    /** The next line of the bridge. */
    hear: async (): Promise<Record<string, unknown>> => {
      while (!rest.includes('\n')) rest += String((await lines.next()).value);
      const [line = ''] = rest.split('\n', 1);
      rest = rest.slice(line.length + 1);
      return JSON.parse(line) as Record<string, unknown>;
    },
  };
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const callOf = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
