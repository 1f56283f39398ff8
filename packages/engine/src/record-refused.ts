/** Attempts that went nowhere are facts too: what was refused before it became a call or an answer. */
import type { Failure } from '@countersign/contracts';
import { appendAudit } from '@countersign/store';
import { actorOf, callerActor, type Doer } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName } from './judge.ts';

/** A call whose bytes broke a bound. */
export async function recordMalformed(deps: EngineDeps, caller: Caller, failure: Failure): Promise<void> {
  await appendAudit(deps.store.db, [
    {
      type: 'call.malformed',
      at: deps.now(),
      actor: callerActor(caller),
      principal: caller.principal?.name ?? null,
      agent: caller.agent || caller.principal ? actingName(caller) : null,
      payload: { code: failure.code, message: failure.message, ...failure.detail },
    },
  ]);
}

/** A true credential of the wrong kind: an agent's where only a principal may act, or the reverse. */
export async function recordForbidden(deps: EngineDeps, doer: Doer, attempt: { readonly route: string; readonly id: string | null }): Promise<void> {
  const caller = 'caller' in doer ? doer.caller : null;
  await appendAudit(deps.store.db, [
    {
      type: 'credential.rejected',
      at: deps.now(),
      actor: actorOf(doer),
      principal: caller?.principal?.name ?? null,
      agent: caller?.agent?.name ?? null,
      payload: { route: attempt.route, subject: attempt.id, code: 'credential.forbidden' },
    },
  ]);
}
