import { type CallRecord, type DecisionRecord, decisionsOfCall, findCall } from '@countersign/store';
import { announceCall, announceChange, TOPIC } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import type { Settled } from './settle-call.ts';

/**
 * After the commit of a settlement: tells waiters, pages and workers. Losing any of it costs time, never a fact.
 * @param all the decisions of the call, from whoever has them and the call as it is now; without them both are read
 */
export async function announceSettled(deps: EngineDeps, settled: Settled, all?: readonly DecisionRecord[]): Promise<void> {
  for (const decision of settled.decisions) {
    announceChange(deps, {
      type: 'decision',
      id: decision.id,
      state: decision.state.state,
      version: decision.state.version,
      seenBy: seersOf([decision]),
    });
    if (decision.call === null) announceCall(deps, decision.id);
  }
  if (!settled.call) return;
  if (settled.isQueued) deps.signals.publish(TOPIC.dispatch, settled.call.id);
  announceCall(deps, settled.call.id);
  if (all) announceCallState(deps, settled.call, [...all, ...settled.decisions]);
  else if (!settled.isQueued) await announceMoved(deps, settled.call.id);
}

/** What was settled stands, so a failure here is no failure of whoever settled it. */
async function announceMoved(deps: EngineDeps, callId: string): Promise<void> {
  try {
    const decisions = await decisionsOfCall(deps.store.db, callId);
    const call = await findCall(deps.store.db, callId);
    if (call) announceCallState(deps, call, decisions);
  } catch (error) {
    deps.log.warn({ err: error, call: callId }, 'A change of a call could not be announced');
  }
}

/** Says where a call stands to everybody who may see one of its decisions. A call without a decision concerns nobody. */
export function announceCallState(
  deps: EngineDeps,
  { id, life }: Pick<CallRecord, 'id' | 'life'>,
  decisions: readonly DecisionRecord[],
): void {
  if (decisions.length > 0) announceChange(deps, { type: 'call', id, state: life.state, seenBy: seersOf(decisions) });
}

const seersOf = (decisions: readonly DecisionRecord[]): readonly string[] => [
  ...new Set(decisions.flatMap((decision) => [...decision.question.answerBy, decision.principal])),
];
