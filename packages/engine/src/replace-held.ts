import { appendAudit, holdRunOpen, type Intent, insertCall, type LimitedTerm, lockAuthority, lockCall, readHost } from '@countersign/store';
import { announceSettled } from './after-settling.ts';
import { announceAuthority } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import { refuseCall } from './settle-call.ts';
import { countUses } from './term-uses.ts';

const GATE = { kind: 'host', name: 'gate' } as const;
const REASON = 'The same call was made again, and by now nobody needs to be asked about it.';

/**
 * Records the intent of an allowed call in place of the same one that is held: the open question is withdrawn in the same transaction, so that
 * nobody's later answer makes it run a second time.
 * @returns false, with nothing written, where the other one is no longer held, or where the call may not go in any more
 */
export async function replaceHeld(
  deps: EngineDeps,
  { call, event }: Intent,
  limited: readonly LimitedTerm[],
  heldId: string,
): Promise<boolean> {
  const replaced = await deps.store.transact(async (tx) => {
    const authority = limited.length > 0 ? await lockAuthority(tx) : (await readHost(tx)).authority;
    if (authority !== call.authority || !(await holdRunOpen(tx, call.run, call.createdAt))) return null;
    const held = await lockCall(tx, heldId);
    // One that was sent before may have run: that is for a person to say, and the repeat waits for it.
    if (held?.life.state !== 'held' || held.life.mayHaveRun) return null;
    const refusal = { cause: 'withdrawn', reason: REASON, actor: GATE, decision: null } as const;
    const decisions = await refuseCall(tx, held, refusal, call.createdAt);
    const isLastUse = limited.length > 0 && (await countUses(tx, limited));
    await insertCall(tx, { ...call, countedBy: limited.map((term) => term.principal) });
    await appendAudit(tx, [event]);
    return { settled: { call: held, isQueued: false, decisions }, isLastUse };
  });
  if (!replaced) return false;
  if (replaced.isLastUse) announceAuthority(deps);
  await announceSettled(deps, replaced.settled);
  return true;
}
