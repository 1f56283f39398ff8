/** Where the browser is that these tests drive, and how it is started. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL_WITHIN_MS = 300_000;

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const onPath = (): string | null =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path)) ?? null;

/** Debian's Chromium, installed where we may. @returns why not, where it could not be had. */
function install(): string | null {
  if (process.getuid?.() !== 0) return 'no Chromium is on the PATH, and only root may install one';
  const run = (args: readonly string[]) => spawnSync('apt-get', [...args], { stdio: 'ignore', timeout: INSTALL_WITHIN_MS });
  run(['update', '-qq']);
  const { status, error } = run(['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  return status === 0 ? null : `no Chromium is on the PATH, and apt-get could not install one (${error?.message ?? `exit ${status}`})`;
}

export type Found = { readonly path: string; readonly missing: null } | { readonly path: null; readonly missing: string };

/** `CHROMIUM` in the environment, one on the PATH, or a freshly installed one; where there is none, it says so aloud. */
export function findChromium(): Found {
  const given = process.env.CHROMIUM ?? onPath();
  if (given !== null) return { path: given, missing: null };
  const missing = install();
  const path = onPath();
  if (path !== null) return { path, missing: null };
  const why = missing ?? 'apt-get installed no Chromium';
  console.warn(`The tests of the inbox in a browser did not run: ${why}. Set CHROMIUM to its path.`);
  return { path: null, missing: why };
}

/** A browser with a fresh profile. */
export const startBrowser = (path: string): Promise<Browser> => chromium.launch({ executablePath: path, args: FLAGS });
