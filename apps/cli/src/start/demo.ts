import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IssuedCredential } from '@countersign/contracts';
import type { Io } from '../io.ts';
import { paintFor } from '../paint.ts';
import { noteLine } from '../print.ts';
import type { Show } from '../visible.ts';
import { prepareWorkspace } from './demo-workspace.ts';
import { scriptLine } from './script-line.ts';

/** What the sample config needs around it: a workspace with files, and a ledger to pay through. */
export type Demo = {
  /** For the config's `${LEDGER_URL}`. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly close: () => Promise<void>;
};

export async function openDemo(dataDir: string): Promise<Demo> {
  const { startLedger } = await import('@countersign/testkit');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const workspace = prepareWorkspace(dataDir);
  const file = join(dataDir, 'demo', 'ledger.json');
  const portFile = join(dataDir, 'demo', 'ledger.port');
  // Its address is part of what people accepted of its tools, so a restart comes back to the same port where it can.
  const before = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
  const ledger = await startLedger({ port: before, file }).catch(() => startLedger({ port: 0, file }));
  writeFileSync(portFile, new URL(ledger.url).port);
  return { env: { LEDGER_URL: ledger.url }, workspace, close: ledger.close };
}

export type DemoRun = {
  readonly workspace: string;
  readonly mcpUrl: string;
  readonly credentials: Readonly<Record<string, IssuedCredential>>;
  readonly signal: AbortSignal;
};

/** Lets the scripted agents work, each with its own credential, and says what they do. Resolves when all have ended; never rejects. */
export async function playDemo(io: Io, show: Show, { workspace, mcpUrl, credentials, signal }: DemoRun): Promise<void> {
  const { demoScripts, runScript } = await import('@countersign/agents');
  const paint = paintFor(io.color.stderr);
  const running = demoScripts(workspace).map(async (script) => {
    const credential = credentials[script.agent];
    if (credential === undefined) return;
    try {
      await runScript(script, {
        mcpUrl,
        token: credential.token,
        signal,
        log: (event) => noteLine(io, scriptLine(event, paint, show.line)),
      });
    } catch (error) {
      // The demo is company for the host, never a reason for it to end.
      noteLine(io, `${script.agent}: the demo script broke off: ${show.line(error instanceof Error ? error.message : String(error))}`);
    }
  });
  await Promise.all(running);
}
