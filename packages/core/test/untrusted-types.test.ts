import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe('the types of untrusted text', () => {
  it('let no bare or untrusted string into a text for an agent', () => {
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
    ];
    const tsc = spawnSync(
      process.execPath,
      [at('../../../node_modules/typescript/bin/tsc'), ...options, '--ignoreConfig', at('untrusted-types.ts')],
      {
        encoding: 'utf8',
      },
    );
    expect(tsc.stdout).toBe('');
    expect(tsc.status).toBe(0);
  });
});
