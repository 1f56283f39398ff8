import { fail, type HostState, ok, type Result } from '@countersign/contracts';
import { appendAudit, bumpAuthority, clearFrozen, readHost, setFrozen, shiftConsults, shiftDeadlines } from '@countersign/store';
import { actorOf, type Doer } from './actor.ts';
import { announceAuthority, announceChange } from './announce.ts';
import type { EngineDeps } from './deps.ts';

/** Stops every dispatch and turns every allow into ask; deadlines stop with it. Freezing a frozen host changes nothing. */
export async function freezeHost(deps: EngineDeps, doer: Doer, reason: string): Promise<HostState> {
  const actor = actorOf(doer);
  const at = deps.now();
  await deps.store.transact(async (tx) => {
    await readHost(tx);
    if (!(await setFrozen(tx, { at, by: actor.name, reason }))) return;
    await bumpAuthority(tx);
    await appendAudit(tx, [{ type: 'host.frozen', at, actor, payload: { reason } }]);
  });
  announceAuthority(deps);
  announceChange(deps, { type: 'host', id: 'host', state: 'frozen', seenBy: [] });
  return await hostState(deps);
}

/** Lifts the freeze: deadlines move later by as long as it lasted, and what was approved meanwhile is dispatched. */
export async function thawHost(deps: EngineDeps, doer: Doer): Promise<Result<HostState, 'conflict'>> {
  const actor = actorOf(doer);
  const at = deps.now();
  const wasFrozen = await deps.store.transact(async (tx) => {
    const { frozen } = await readHost(tx);
    if (!frozen || !(await clearFrozen(tx, frozen.at))) return false;
    // A clock that was set back meanwhile must not take time away from anybody.
    const forMs = Math.max(0, Date.parse(at) - Date.parse(frozen.at));
    await shiftDeadlines(tx, forMs);
    await shiftConsults(tx, forMs);
    await bumpAuthority(tx);
    await appendAudit(tx, [{ type: 'host.thawed', at, actor, payload: { frozenAt: frozen.at, frozenBy: frozen.by, forMs } }]);
    return true;
  });
  if (!wasFrozen) return fail('conflict', 'The host is not frozen.');
  announceAuthority(deps);
  announceChange(deps, { type: 'host', id: 'host', state: 'running', seenBy: [] });
  return ok(await hostState(deps));
}

export async function hostState(deps: EngineDeps): Promise<HostState> {
  const { frozen } = await readHost(deps.store.db);
  return { frozen: frozen !== null, frozenAt: frozen?.at ?? null, frozenBy: frozen?.by ?? null, reason: frozen?.reason ?? null };
}
