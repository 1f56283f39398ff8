import { fail, ok, type Result } from '@countersign/contracts';
import { findIdempotent, insertIdempotent } from '@countersign/store';
import type { EngineDeps } from './deps.ts';

export type StoredAnswer = { readonly status: number; readonly body: string };

/**
 * Answers a write once per key: a repeat with the same body gets the stored answer, one with another body is refused. Two at once are told
 * apart by the decision machine below, which lets one transition take effect; the key is for a client that lost the answer.
 */
export async function idempotent(
  deps: EngineDeps,
  key: string,
  bodyDigest: string,
  run: () => Promise<StoredAnswer>,
): Promise<Result<StoredAnswer, 'idempotency.conflict'>> {
  const known = await findIdempotent(deps.store.db, key);
  if (known) return known.bodyDigest === bodyDigest ? ok({ status: known.status, body: known.body }) : conflict();
  const answer = await run();
  // A server's own failure is not kept: the client is right to try again.
  if (answer.status < 500) await insertIdempotent(deps.store.db, { key, bodyDigest, ...answer, createdAt: deps.now() });
  return ok(answer);
}

const conflict = () => fail('idempotency.conflict', 'This Idempotency-Key came before with another body. Use a fresh key for a new write.');
