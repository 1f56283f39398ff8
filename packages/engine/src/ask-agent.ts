/** One agent's question to another: opened by the asker, bound by the server to the asker's run, waited for from any session of the asker. */
import { type ErrorCode, type Failure, fail, ok, type Result, type RunId } from '@countersign/contracts';
import { CONSULT_MS, mayAsk, withinDeadline } from '@countersign/core';
import {
  appendAudit,
  type ConsultRecord,
  findAskedBefore,
  findConsult,
  holdRunOpen,
  insertConsult,
  markConsultDelivered,
  mintId,
  openConsults,
  openRun,
  type Transaction,
} from '@countersign/store';
import { callerActor } from './actor.ts';
import { TOPIC } from './announce.ts';
import type { Caller } from './caller.ts';
import { aboutAsker } from './cancel-run.ts';
import { type ConsultEnd, endOfConsult } from './consult-end.ts';
import type { EngineDeps } from './deps.ts';
import { sha256 } from './digest.ts';
import { countedNow } from './enter-run.ts';
import { actingName, type Work } from './judge.ts';
import { later } from './settle-call.ts';
import { type Wait, waitUntil } from './wait-until.ts';
import { workOf } from './work.ts';

/** `origin` names the piece of work, as for a call. */
export type Ask = { readonly agent: string; readonly question: string; readonly origin: string };

/**
 * Asks another agent. The same question of the same agent, while it is open or its answer was not fetched yet, attaches to that consult.
 * @returns where it stands after `waitMs`. `consult.asks_itself`, `consult.cycle`, `consult.too_deep` for what no chain may be,
 * `consult.nobody_to_ask`, `limit.reached` when too many are open, `run.closed` when the asker's own run is over. Each denial is an event.
 */
export async function askAgent(deps: EngineDeps, caller: Caller, ask: Ask, wait: Wait): Promise<Result<ConsultEnd, ErrorCode>> {
  const work = await workOf(deps, caller, ask.origin, 'current');
  const asked = await deps.authority.ofAgent(ask.agent);
  const counted = await countedNow(deps);
  const opened = await deps.store.transact(async (tx): Promise<Result<ConsultRecord & { readonly isNew: boolean }, ErrorCode>> => {
    const by = { asker: actingName(caller), run: work.chain.length > 1 ? work.run : null };
    const before = await findAskedBefore(tx, by, { agent: ask.agent, questionDigest: sha256(ask.question) });
    if (before) return ok({ ...before, isNew: false });
    const problem = (await holdRunOpen(tx, work.run, counted)) ? await whyNot(deps, tx, caller, work, asked, ask.agent) : CLOSED;
    if (problem) return await turnDown(deps, tx, caller, work, ask, problem);
    return ok({ ...(await open(deps, tx, caller, work, asked as Caller, ask)), isNew: true });
  });
  if (!opened.ok) return opened;
  if (opened.value.isNew) deps.signals.publish(TOPIC.questions(ask.agent), opened.value.id);
  return ok(await waitFor(deps, opened.value.id, wait));
}

const CLOSED: Failure = { code: 'run.closed', message: 'The run that asks is over, so nothing is asked in it any more.' };

/** Why this question can't be put; null when it can. */
async function whyNot(
  deps: EngineDeps,
  tx: Transaction,
  caller: Caller,
  work: Work,
  asked: Caller | null,
  name: string,
): Promise<Failure | null> {
  const { chain_depth: depth, consults_per_run: fanOut, pending_per_agent: most } = deps.config().limits;
  const allowed = mayAsk(work.chain, name, await openConsults(tx, { askerRun: work.run }), { depth, fanOut });
  if (!allowed.ok) return allowed.error;
  if (!asked?.agent || !asked.scopes.includes('consult')) {
    return { code: 'consult.nobody_to_ask', message: `${name} is no agent that takes questions here. list_agents says who does.` };
  }
  const asker = actingName(caller);
  if ((await openConsults(tx, { asker })) >= most) {
    return { code: 'limit.reached', message: `${asker} has ${most} questions open already. Wait for answers, or take some back.` };
  }
  if ((await openConsults(tx, { agent: name })) >= most) {
    return { code: 'limit.reached', message: `${most} questions wait for ${name} already. Ask again later, or somebody else.` };
  }
  return null;
}

async function open(deps: EngineDeps, tx: Transaction, caller: Caller, work: Work, asked: Caller, ask: Ask): Promise<ConsultRecord> {
  const at = deps.now();
  const id = mintId('con');
  const expiresAt = withinDeadline(later(at, CONSULT_MS), work.expiresAt);
  const principal = asked.principal?.name ?? '';
  const parent = work.run as RunId;
  const { run } = await openRun(tx, {
    id: mintId('run'),
    agent: ask.agent,
    principal,
    parent,
    task: ask.question,
    origin: `consult ${id}`,
    expiresAt,
    at,
  });
  const consult: ConsultRecord = {
    id,
    run: run.id,
    askerRun: parent,
    asker: actingName(caller),
    askerPrincipal: caller.principal?.name ?? '',
    askedWith: caller.credential?.id ?? null,
    agent: ask.agent,
    principal,
    question: ask.question,
    questionDigest: sha256(ask.question),
    state: { state: 'open', version: 1, claims: 0, expiresAt },
    answer: null,
    createdAt: at,
    deliveredAt: null,
  };
  await insertConsult(tx, consult);
  const actor = callerActor(caller);
  await appendAudit(tx, [
    {
      type: 'consult.opened',
      at,
      actor,
      ...aboutAsker(consult),
      payload: { consult: id, agent: ask.agent, question: ask.question, askerRun: parent, expiresAt },
    },
    { type: 'run.opened', at, actor, agent: ask.agent, principal, run: run.id, payload: { consult: id, parent } },
  ]);
  return consult;
}

/** Records a question that was turned down. The event commits; the caller gets the reason. */
async function turnDown(
  deps: EngineDeps,
  tx: Transaction,
  caller: Caller,
  work: Work,
  ask: Ask,
  error: Failure,
): Promise<Result<never, ErrorCode>> {
  await appendAudit(tx, [
    {
      type: 'consult.refused',
      at: deps.now(),
      actor: callerActor(caller),
      agent: actingName(caller),
      principal: caller.principal?.name ?? null,
      run: work.run,
      payload: { attempt: 'ask', agent: ask.agent, code: error.code },
    },
  ]);
  return { ok: false, error };
}

/**
 * Where one of the caller's questions stands, after `waitMs` at the latest; again and again, from any session of the agent that asked.
 * @returns `not_found` for unknown ids and for other agents' alike.
 */
export async function awaitConsult(deps: EngineDeps, caller: Caller, id: string, wait: Wait): Promise<Result<ConsultEnd, 'not_found'>> {
  const found = await findConsult(deps.store.db, id);
  if (found?.asker !== actingName(caller)) return fail('not_found', `There is no consult ${id} of yours.`);
  return ok(await waitFor(deps, id, wait));
}

async function waitFor(deps: EngineDeps, id: string, wait: Wait): Promise<ConsultEnd> {
  const end = await waitUntil(
    deps,
    TOPIC.consult(id),
    wait,
    async () => {
      const seen = await endOfConsult(deps, id);
      if (!seen) throw new Error(`The consult ${id} is gone.`);
      return seen;
    },
    ({ state }) => state !== 'open' && state !== 'claimed',
  );
  if (end.state === 'answered' && !wait.signal.aborted) await markConsultDelivered(deps.store.db, id, deps.now());
  return end;
}
