import { readFileSync } from 'node:fs';

/** The folder above this one is the package, from source and when built. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }).version;
