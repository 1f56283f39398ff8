import { fail, ok, type Result } from '@countersign/contracts';
import { findIdempotent, insertIdempotent } from '@countersign/store';
import type { EngineDeps } from './deps.ts';

export type StoredAnswer = { readonly status: number; readonly body: unknown };

const running = new WeakMap<EngineDeps, Set<string>>();

/**
 * Answers a write once per key, which the caller makes unique to its doer. The same key with the same body gets what `run` returned as
 * `later`; with another body it is `idempotency.conflict`; while the first is still running, `conflict`. `later: null` or a throw leaves the
 * key free. What can take effect only once is guarded by the row below, not by this: the key is for a client that lost the answer.
 */
export async function idempotent(
  deps: EngineDeps,
  key: string,
  bodyDigest: string,
  run: () => Promise<{ readonly now: StoredAnswer; readonly later: StoredAnswer | null }>,
): Promise<Result<StoredAnswer, 'idempotency.conflict' | 'conflict'>> {
  const inHand = running.get(deps) ?? new Set<string>();
  running.set(deps, inHand);
  if (inHand.has(key)) return fail('conflict', 'The first request with this Idempotency-Key is still running. Try again in a moment.');
  inHand.add(key);
  try {
    const known = await findIdempotent(deps.store.db, key);
    if (known && known.bodyDigest !== bodyDigest) {
      return fail('idempotency.conflict', 'This Idempotency-Key came before with another body. Use a fresh key for a new write.');
    }
    if (known) return ok({ status: known.status, body: JSON.parse(known.body) as unknown });
    const answer = await run();
    if (answer.later) {
      const { status, body } = answer.later;
      await insertIdempotent(deps.store.db, { key, bodyDigest, status, body: JSON.stringify(body ?? null), createdAt: deps.now() });
    }
    return ok(answer.now);
  } finally {
    inHand.delete(key);
  }
}
