/** Builds the product before the tests that run it: they start its real binary, and dist starts in half the time of the source. */
import { spawnSync } from 'node:child_process';
import { ROOT } from './place.ts';

/** Vitest calls it once for all files of the project. COUNTERSIGN_TEST_BUILT=1: dist stands already, and nothing is built. */
export function setup(): void {
  if (process.env.COUNTERSIGN_TEST_BUILT === '1') return;
  const { status, stdout } = spawnSync('npx', ['tsc', '-b'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The product does not build:\n${stdout}`);
}
