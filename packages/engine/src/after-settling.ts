import { announceCall, announceChange, TOPIC } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import type { Settled } from './settle-call.ts';

/** After the commit of a settlement: tells waiters, pages and workers. Losing any of it costs time, never a fact. */
export function announceSettled(deps: EngineDeps, settled: Settled): void {
  for (const decision of settled.decisions) {
    announceChange(deps, {
      type: 'decision',
      id: decision.id,
      state: decision.state.state,
      version: decision.state.version,
      seenBy: [...new Set([...decision.question.answerBy, decision.principal])],
    });
    if (decision.call === null) announceCall(deps, decision.id);
  }
  if (!settled.call) return;
  if (settled.isQueued) deps.signals.publish(TOPIC.dispatch, settled.call.id);
  announceCall(deps, settled.call.id);
}
