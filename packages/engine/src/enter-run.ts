/**
 * Acting within a consult's run. A run token names the run; who stands above it, and what the caller may still do there, comes from the rows
 * as they are now. Nothing that a request says of its own ancestry is read.
 */
import { type ErrorCode, type Failure, fail, ok, type Result } from '@countersign/contracts';
import { CLAIM_MS, scopesInChain } from '@countersign/core';
import { appendAudit, type ChainRow, type ConsultRecord, chainOf, findConsultByToken, renewClaim } from '@countersign/store';
import { callerActor } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { sha256 } from './digest.ts';
import { actingName, type Work } from './judge.ts';
import { later } from './settle-call.ts';

/** Who holds a claim: the credential; inside one process an agent may act without one, and is then its own holder. */
export const holderOf = (caller: Caller): string => caller.credential?.id ?? actingName(caller);

/** The moment that deadlines are measured against: they stop while the host is frozen. */
export async function countedNow(deps: EngineDeps): Promise<string> {
  const { host } = await deps.authority.host('cached');
  return host.frozen?.at ?? deps.now();
}

const RENEW_MS = 60_000;

/**
 * The caller within the run that this token was given for: its scopes are narrowed to what every hop above it may do too.
 * @returns `run.invalid` for a token that does not exist or was given to another credential, alike; `run.closed` when the run is over, or
 * somebody above may no longer act. Both are events.
 */
export async function enterRun(deps: EngineDeps, caller: Caller, runToken: string): Promise<Result<Caller, 'run.invalid' | 'run.closed'>> {
  const consult = await findConsultByToken(deps.store.db, sha256(runToken));
  if (!consult || !wasGivenTo(consult, caller)) {
    const message = 'This run token is unknown here, or was not given to this credential. next_question gives one with each question.';
    return await turnAway(deps, caller, consult, { code: 'run.invalid', message });
  }
  const entered = await standInRun(deps, caller, consult.run, 'act');
  if (!entered.ok) return await turnAway(deps, caller, consult, entered.error);
  const until = later(deps.now(), CLAIM_MS);
  const { state } = consult;
  const isDue = state.state === 'claimed' && Date.parse(until) - Date.parse(state.claim.until) > RENEW_MS;
  if (isDue) await renewClaim(deps.store.db, consult.id, holderOf(caller), until);
  return ok({ ...entered.value.caller, run: { consult: consult.id, work: entered.value.work } });
}

/** The same run for a caller that was looked at again; where it was in none, the caller as it is. */
export async function enterAgain(deps: EngineDeps, now: Caller, before: Caller): Promise<Result<Caller, 'run.closed'>> {
  if (!before.run) return ok(now);
  const entered = await standInRun(deps, now, before.run.work.run, 'act');
  return entered.ok ? ok({ ...entered.value.caller, run: { consult: before.run.consult, work: entered.value.work } }) : entered;
}

/** A settled consult has no holder any more; its agent is told that the run is over, and nobody else anything. */
const wasGivenTo = ({ agent, state }: ConsultRecord, caller: Caller): boolean =>
  caller.agent?.name === agent && (state.state !== 'claimed' || state.claim.holder === holderOf(caller));

async function turnAway<Code extends ErrorCode>(
  deps: EngineDeps,
  caller: Caller,
  consult: ConsultRecord | null,
  error: Failure<Code>,
): Promise<Result<never, Code>> {
  await appendAudit(deps.store.db, [
    {
      type: 'run.rejected',
      at: deps.now(),
      actor: callerActor(caller),
      principal: caller.principal?.name ?? null,
      agent: actingName(caller),
      run: consult?.run ?? null,
      payload: { code: error.code, consult: consult?.id ?? null },
    },
  ]);
  return { ok: false, error };
}

/**
 * A caller within a run, as everything above it stands now: the work with its chain, and the caller with the scopes that are left.
 * `act`: for something new, which an ended run has no place for. `finish`: for what was asked while the run was open; a run that was answered
 * meanwhile lets it end, one that was cancelled or ran out does not.
 */
export async function standInRun(
  deps: EngineDeps,
  caller: Caller,
  runId: string,
  purpose: 'act' | 'finish',
): Promise<Result<{ readonly caller: Caller; readonly work: Work }, 'run.closed'>> {
  const rows = await chainOf(deps.store.db, runId);
  const root = rows[0];
  const own = rows.at(-1);
  if (!root || !own) return closed('There is no such run.');
  const over = await whyOver(deps, own, purpose);
  if (over) return closed(over);
  const above = rows.slice(0, -1);
  const standings = await deps.authority.ofAgents(
    above.map((row) => row.agent),
    'cached',
  );
  const hops = [];
  let authority = caller.authority;
  for (const [place, row] of above.entries()) {
    const standing = standings[place];
    const askedWith = rows[place + 1]?.askedWith ?? null;
    if (!standing || isDead(askedWith, deps.now())) return closed(`${row.agent}, which stands above in this chain, may no longer act.`);
    hops.push({ scopes: standing.scopes, credentialScopes: askedWith?.scopes ?? null });
    authority = Math.min(authority, standing.authority);
  }
  const work: Work = {
    run: own.id,
    chain: rows.map(({ id, agent, principal, task }) => ({ run: id, agent, principal, question: task })),
    task: root.task,
    expiresAt: own.expiresAt,
  };
  const scopes = hops.length === 0 ? caller.scopes : scopesInChain(caller.scopes, hops);
  return ok({ caller: { ...caller, scopes, authority }, work });
}

const closed = (message: string): Result<never, 'run.closed'> => fail('run.closed', message);

async function whyOver(deps: EngineDeps, { status, expiresAt }: ChainRow, purpose: 'act' | 'finish'): Promise<string | null> {
  if (status === 'cancelled')
    return 'The run was cancelled: whoever asked, or a principal, took the question back. Nothing more is done in it.';
  if (status === 'expired' || (expiresAt !== null && (await countedNow(deps)) >= expiresAt)) {
    return `The question of this run expired at ${expiresAt}. Nothing more is done in it.`;
  }
  return status === 'done' && purpose === 'act' ? 'The question of this run is answered, so it is over.' : null;
}

/** A hop acts no longer once the credential that it asked with is gone. */
const isDead = (askedWith: ChainRow['askedWith'], now: string): boolean =>
  askedWith !== null && (askedWith.revokedAt !== null || (askedWith.expiresAt !== null && now >= askedWith.expiresAt));
