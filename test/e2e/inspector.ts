/** The MCP Inspector's command line, the client that people debug servers with. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runNode } from './cli.ts';
import type { Agent, Result } from './mcp-clients.ts';
import { scratch } from './started-host.ts';

const require = createRequire(import.meta.url);

/** An agent whose every call is one run of `mcp-inspector --cli`, in a process and an MCP session of its own. */
export function inspectorAgent(mcp: string, token: string, era: 'legacy' | 'modern'): Agent {
  const main = join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), 'clients/launcher/build/index.js');
  const target = ['--cli', mcp, '--transport', 'http', '--protocol-era', era, '--header', `Authorization: Bearer ${token}`];
  const env = { HOME: scratch('inspector') };
  const run = async (args: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { stdout, stderr } = await runNode([main, ...target, '--format', 'json', ...args], env);
    // An error result has an exit code of its own; what counts is whether it printed an answer.
    if (!stdout.trim().startsWith('{')) throw new Error(`The Inspector gave no answer: ${stdout}${stderr}`);
    return (JSON.parse(stdout) as { readonly result: Readonly<Record<string, unknown>> }).result;
  };
  return {
    call: async (name, args = {}) => {
      const asked = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];
      return (await run(asked)) as unknown as Result;
    },
    tools: async () => {
      const { tools } = await run(['--method', 'tools/list']);
      return (tools as readonly { readonly name: string }[]).map((tool) => tool.name);
    },
    close: async () => undefined,
  };
}
