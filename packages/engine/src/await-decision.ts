import { fail, ok, type Result } from '@countersign/contracts';
import { findCall, findVisibleDecision, markCall } from '@countersign/store';
import { TOPIC } from './announce.ts';
import type { CallEnd } from './call-end.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { endOfCall } from './end-of-call.ts';
import { endOfQuestion } from './end-of-question.ts';
import { actingName } from './judge.ts';
import { viewOf } from './view.ts';
import { type Wait, waitUntil } from './wait-until.ts';

/** Waits until a call is no longer held, `waitMs` is over, or the signal aborts. */
export const waitForEnd = (deps: EngineDeps, callId: string, waitMs: number, signal: AbortSignal): Promise<CallEnd> =>
  waitFor(deps, callId, () => endOfCall(deps, deps.store.db, callId), { waitMs, signal });

const waitFor = (deps: EngineDeps, id: string, look: () => Promise<CallEnd | null>, wait: Wait): Promise<CallEnd> =>
  waitUntil(
    deps,
    TOPIC.call(id),
    wait,
    async () => {
      const end = await look();
      if (!end) throw new Error(`${id} is gone.`);
      return end;
    },
    ({ kind }) => kind !== 'held' && kind !== 'asked',
  );

/**
 * What came of a decision, for the agent that it belongs to: the upstream's result verbatim, again and again, from any session of that
 * agent; or where it stands after `waitMs`. A decision without a call (a plain question) ends as its answer.
 * @returns `not_found` for unknown ids and for other agents' alike.
 */
export async function awaitDecision(deps: EngineDeps, caller: Caller, id: string, wait: Wait): Promise<Result<CallEnd, 'not_found'>> {
  const view = viewOf(caller);
  const decision = await findVisibleDecision(deps.store.db, view, id);
  if (!decision) return fail('not_found', `There is no decision ${id}.`);
  if (!decision.call) return ok(await waitFor(deps, id, () => endOfQuestion(deps, deps.store.db, id), wait));
  const call = await findCall(deps.store.db, decision.call);
  if (call) await markCall(deps.store.db, call.id, 'told', deps.now());
  const end = await waitForEnd(deps, decision.call, wait.waitMs, wait.signal);
  // A principal may look at its agents' calls: only whoever made the call has its outcome by this.
  const isOwn = decision.agent === actingName(caller);
  if (end.kind !== 'held' && isOwn && !wait.signal.aborted) await markCall(deps.store.db, decision.call, 'delivered', deps.now());
  return ok(end);
}
