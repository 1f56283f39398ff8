/** Attempts that went nowhere are facts too: what was refused before it became a call or an answer. */
import { canonicalize } from '@countersign/audit';
import type { Failure } from '@countersign/contracts';
import { clip } from '@countersign/core';
import { appendAudit } from '@countersign/store';
import { actorOf, callerActor, type Doer } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { sha256 } from './digest.ts';
import { actingName } from './judge.ts';
import type { JsonObject } from './upstreams.ts';

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

/** The longest name or id of an attempt that is kept; what is longer is none of ours. */
const SHOWN = 200;
/** Arguments of an attempt are kept up to here, so that the log shows what was tried; larger ones by their digest. */
const SHOWN_ARGUMENTS = 2000;

/** What was tried: a tool by its name, or a route of the HTTP API. */
export type Attempt = ({ readonly tool: string } | { readonly route: string }) & { readonly code: string; readonly args: JsonObject };

/**
 * A call of a tool that the caller does not have, one of our own tools that turned a call down, or an id in the HTTP API that is not the
 * caller's. What is hidden from the caller and what
 * does not exist leave the same event, at the same cost.
 */
export async function recordRejected(deps: EngineDeps, caller: Caller, attempt: Attempt): Promise<void> {
  const text = canonicalize(attempt.args);
  const args = text.length <= SHOWN_ARGUMENTS ? { arguments: attempt.args } : { argsDigest: sha256(text) };
  await appendAudit(deps.store.db, [
    {
      type: 'access.rejected',
      at: deps.now(),
      actor: callerActor(caller),
      principal: caller.principal?.name ?? null,
      agent: caller.agent || caller.principal ? actingName(caller) : null,
      run: caller.run?.work.run ?? null,
      payload: { ...('tool' in attempt ? { tool: clip(attempt.tool, SHOWN) } : { route: attempt.route }), code: attempt.code, ...args },
    },
  ]);
}

/** A true credential of the wrong kind: an agent's where only a principal may act, or the reverse. */
export async function recordForbidden(
  deps: EngineDeps,
  doer: Doer,
  attempt: { readonly route: string; readonly id: string | null },
): Promise<void> {
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
