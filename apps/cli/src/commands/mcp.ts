import type { AddCommand } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { noteLine, printFailure } from '../print.ts';
import { findHost, type RemoteFlags, withRemote } from '../remote.ts';

/** `mcp`: a stdio server for clients without HTTP. */
export const addMcp: AddCommand = (program, { io, action }) => {
  withRemote(program.command('mcp'))
    .description("an MCP server on standard input and output for clients that can't do HTTP; carries every message to the host and back")
    .addHelpText(
      'after',
      `
For a client that starts its servers:
  {"command": "countersign", "args": ["mcp"], "env": {"COUNTERSIGN_URL": "http://127.0.0.1:7420", "COUNTERSIGN_TOKEN": "csa_…"}}
Without COUNTERSIGN_TOKEN, the client is in the anonymous lane.`,
    )
    .action(action((flags: RemoteFlags) => bridge(io, flags)));
};

async function bridge(io: Io, flags: RemoteFlags): Promise<ExitCode> {
  const place = findHost(io, flags);
  if (!place.ok) return printFailure(io, place.error, false);
  const { bridgeStdio } = await import('@countersign/agents');
  const stop = new AbortController();
  io.onStop(() => stop.abort());
  await bridgeStdio({
    mcpUrl: `${place.value.url.replace(/\/+$/, '')}/mcp`,
    token: io.env.COUNTERSIGN_TOKEN ?? null,
    input: io.stdin,
    output: io.stdout,
    signal: stop.signal,
    log: (line) => noteLine(io, `countersign mcp: ${line}`),
  });
  return EXIT.ok;
}
