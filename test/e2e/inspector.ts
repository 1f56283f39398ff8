/** The MCP Inspector's command line, the client that people debug servers with. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Agent, Result } from './mcp-clients.ts';
import { endOf, spawnChild } from './processes.ts';
import { scratch } from './started-host.ts';

/** An agent whose every call is one run of `mcp-inspector --cli`, in a process and an MCP session of its own. */
export function inspectorAgent(mcp: string, token: string, era: 'legacy' | 'modern'): Agent {
  const require = createRequire(import.meta.url);
  const main = join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), 'clients/launcher/build/index.js');
  const home = scratch('inspector');
  const run = async (args: readonly string[]): Promise<{ readonly result: Record<string, unknown> }> => {
    const target = ['--cli', mcp, '--transport', 'http', '--protocol-era', era, '--header', `Authorization: Bearer ${token}`, '--format', 'json'];
    const child = spawnChild(process.execPath, [main, ...target, ...args], {
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await endOf(child);
    await closed;
    // An error result is an exit code of its own; what counts is whether it printed an answer.
    if (!stdout.trim().startsWith('{')) throw new Error(`The Inspector gave no answer: ${stdout}${stderr}`);
    return JSON.parse(stdout) as { result: Record<string, unknown> };
  };
  return {
    call: async (name, args = {}) => {
      const { result } = await run(['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)]);
      return result as unknown as Result;
    },
    tools: async () => {
      const { result } = await run(['--method', 'tools/list']);
      return (result.tools as readonly { readonly name: string }[]).map((tool) => tool.name);
    },
    close: async () => undefined,
  };
}
