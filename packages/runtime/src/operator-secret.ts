import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The operator's secret: whoever may read it in the data directory is the operator. Made on the first start, mode 0600.
 * `given` (COUNTERSIGN_OPERATOR_SECRET) wins over the file.
 */
export function operatorSecret(dataDir: string, given: string | undefined): string {
  if (given) return given;
  const path = join(dataDir, 'operator.secret');
  if (!existsSync(path)) writeFileSync(path, `cso_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(path, 0o600);
  return readFileSync(path, 'utf8').trim();
}

/** Compares in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
