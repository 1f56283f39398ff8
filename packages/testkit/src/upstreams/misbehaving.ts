/**
 * The fixture server over stdio: `misbehaving MODE`, or MODE in the environment; the modes are in fixture-modes.ts. Settings come
 * from COUNTER_FILE, TRIGGER_FILE, PID_FILE, ANNOTATIONS (JSON), DESCRIPTION and CONFLICT_NAMES (separated by commas).
 */
import { spawn } from 'node:child_process';
import { existsSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { FIXTURE_MODES, type FixtureSettings, isFixtureMode } from './fixture-modes.ts';
import { newFixtureServer } from './fixture-server.ts';

const env = process.env;
const mode = process.argv[2] ?? env.MODE;
if (!isFixtureMode(mode)) {
  console.error(`misbehaving: ${mode ?? 'no mode given'}; the modes are ${FIXTURE_MODES.join(', ')}`);
  process.exit(2);
}
const settings: FixtureSettings = {
  environment: { ...env },
  ...(env.COUNTER_FILE && { counterFile: env.COUNTER_FILE }),
  ...(env.TRIGGER_FILE && { triggerFile: env.TRIGGER_FILE }),
  ...(env.PID_FILE && { pidFile: env.PID_FILE }),
  ...(env.ANNOTATIONS && { annotations: JSON.parse(env.ANNOTATIONS) }),
  ...(env.DESCRIPTION && { description: env.DESCRIPTION }),
  ...(env.CONFLICT_NAMES && { names: env.CONFLICT_NAMES.split(',') }),
};
const server = newFixtureServer(mode, settings, {
  die: () => process.exit(1),
  write: (text) => void process.stdout.write(text),
});

if (mode === 'garbage') process.stdout.write('Welcome to misbehaving v1.0.0!\n');

if (mode === 'child' && settings.pidFile !== undefined) {
  // In our process group, so whoever kills the group kills it; it goes by itself after a minute all the same.
  const grandchild = spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
  grandchild.unref();
  writeFileSync(settings.pidFile, String(grandchild.pid));
}

if (mode === 'rug-pull' && settings.triggerFile !== undefined) {
  const file = settings.triggerFile;
  watchFile(file, { interval: 20 }, () => {
    if (!existsSync(file)) return;
    unwatchFile(file);
    void server.sendToolListChanged();
  });
}

// Timers and watchers must not outlive the peer.
process.stdin.once('end', () => process.exit(0));
await server.connect(new StdioServerTransport());
