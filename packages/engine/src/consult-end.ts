/** How a question to another agent ended, or where it stands, for the agent that asked it: from the rows, the same words from any session. */
import type { ConsultId } from '@countersign/contracts';
import { decideConsult } from '@countersign/core';
import { appendAudit, applyConsult, type ConsultRecord, endRuns, findConsult, lockConsult, lockTree } from '@countersign/store';
import { TOPIC } from './announce.ts';
import { aboutAsker } from './cancel-run.ts';
import type { EngineDeps } from './deps.ts';
import { countedNow } from './enter-run.ts';

export type ConsultEnd = {
  readonly consult: ConsultId;
  /** Who was asked, and for whom it acts. */
  readonly agent: string;
  readonly principal: string;
  readonly expiresAt: string;
} & (
  | { readonly state: 'open' | 'claimed' }
  | { readonly state: 'answered'; readonly answer: string; readonly at: string }
  | { readonly state: 'withdrawn'; readonly by: string; readonly reason: string }
  | { readonly state: 'expired' }
);

/** Where a consult stands now. One whose deadline has passed is expired here, sweeper or no sweeper. */
export async function endOfConsult(deps: EngineDeps, id: string): Promise<ConsultEnd | null> {
  const found = await findConsult(deps.store.db, id);
  if (!found) return null;
  const isDue = isUnderWay(found) && (await countedNow(deps)) >= found.state.expiresAt;
  if (isDue) await expireConsult(deps, id);
  return describeConsult(isDue ? ((await findConsult(deps.store.db, id)) ?? found) : found);
}

export const isUnderWay = ({ state }: ConsultRecord): boolean => state.state === 'open' || state.state === 'claimed';

export function describeConsult({ id, agent, principal, state, answer }: ConsultRecord): ConsultEnd {
  const about = { consult: id, agent, principal, expiresAt: state.expiresAt };
  switch (state.state) {
    case 'open':
    case 'claimed':
    case 'expired':
      return { ...about, state: state.state };
    case 'answered':
      return { ...about, state: 'answered', answer: answer ?? '', at: state.settledAt };
    case 'withdrawn':
      return { ...about, state: 'withdrawn', by: state.by, reason: state.reason };
    default:
      return state satisfies never;
  }
}

/**
 * Expires a consult whose deadline has passed, and its run with it; before that, or when it is settled, nothing happens. What the run has open
 * is left to its own deadlines, which are never later.
 */
export async function expireConsult(deps: EngineDeps, id: string): Promise<void> {
  const counted = await countedNow(deps);
  const found = await findConsult(deps.store.db, id);
  if (!found) return;
  const isExpired = await deps.store.transact(async (tx) => {
    await lockTree(tx, found.run);
    const consult = await lockConsult(tx, id);
    if (!consult) return false;
    const now = deps.now();
    const expired = decideConsult(consult.state, { type: 'expire' }, { now, counted });
    if (!expired.ok || !(await applyConsult(tx, id, expired.value.from, expired.value.next))) return false;
    await endRuns(tx, [consult.run], 'expired', now);
    const payload = { consult: id, agent: consult.agent, expiresAt: consult.state.expiresAt };
    await appendAudit(tx, [
      { type: expired.value.event, at: now, actor: { kind: 'host', name: 'clock' }, ...aboutAsker(consult), payload },
    ]);
    return true;
  });
  if (isExpired) deps.signals.publish(TOPIC.consult(id), id);
}
