import { type ConsultId, type DecisionStatus, type Hop, ok, type Result } from '@countersign/contracts';
import { CLAIM_MS, decideConsult } from '@countersign/core';
import { appendAudit, applyConsult, type ConsultRecord, chainOf, decisionsInRun, lockConsult, lockNextQuestion } from '@countersign/store';
import { callerActor } from './actor.ts';
import { TOPIC } from './announce.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { mintSecret, sha256 } from './digest.ts';
import { countedNow, holderOf } from './enter-run.ts';
import { later } from './settle-call.ts';
import { type Wait, waitUntil } from './wait-until.ts';

/** A question as it is handed to the asked agent. */
export type NextQuestion = {
  readonly consult: ConsultId;
  /** Sent with a request, it says that the request belongs to this question; good for the credential that got it alone. */
  readonly runToken: string;
  readonly question: string;
  readonly asker: { readonly agent: string; readonly principal: string };
  /** From the root down to the run of this question. */
  readonly chain: readonly Hop[];
  readonly expiresAt: string;
  /** How often it was handed out, this time included. */
  readonly claims: number;
  /** What an earlier holder left behind: the decisions of this run, newest last. */
  readonly decisions: readonly { readonly id: string; readonly state: DecisionStatus }[];
};

/**
 * Hands the caller's agent the oldest question that waits for it: to one poller each, and to another only once the first is gone. Waits for
 * one until `waitMs` is over; null when none came.
 */
export async function nextQuestion(deps: EngineDeps, caller: Caller, wait: Wait): Promise<Result<NextQuestion | null, never>> {
  const agent = caller.agent?.name;
  if (agent === undefined) return ok(null);
  const question = await waitUntil(
    deps,
    TOPIC.questions(agent),
    wait,
    async () => (wait.signal.aborted ? null : await claim(deps, caller, agent)),
    (claimed) => claimed !== null,
  );
  if (question && wait.signal.aborted) {
    await release(deps, caller, question.consult);
    return ok(null);
  }
  return ok(question);
}

async function claim(deps: EngineDeps, caller: Caller, agent: string): Promise<NextQuestion | null> {
  const counted = await countedNow(deps);
  const runToken = mintSecret('csr');
  const claimed = await deps.store.transact(async (tx): Promise<ConsultRecord | null> => {
    const now = deps.now();
    const consult = await lockNextQuestion(tx, agent, { now, counted, quietSince: later(now, -CLAIM_MS) });
    if (!consult) return null;
    const command = { type: 'claim', holder: holderOf(caller), until: later(now, CLAIM_MS), isQuiet: true } as const;
    const taken = decideConsult(consult.state, command, { now, counted });
    if (!taken.ok || !(await applyConsult(tx, consult.id, taken.value.from, taken.value.next, { tokenHash: sha256(runToken) })))
      return null;
    const { claims } = taken.value.next;
    const payload = { consult: consult.id, asker: consult.asker, holder: command.holder, claims };
    await appendAudit(tx, [{ type: taken.value.event, at: now, actor: callerActor(caller), ...aboutAsked(consult), payload }]);
    return { ...consult, state: taken.value.next };
  });
  return claimed && (await handedOut(deps, claimed, runToken));
}

async function handedOut(deps: EngineDeps, consult: ConsultRecord, runToken: string): Promise<NextQuestion> {
  const chain = await chainOf(deps.store.db, consult.run);
  const decisions = consult.state.claims > 1 ? await decisionsInRun(deps.store.db, consult.run) : [];
  return {
    consult: consult.id,
    runToken,
    question: consult.question,
    asker: { agent: consult.asker, principal: consult.askerPrincipal },
    chain: chain.map(({ id, agent, principal, task }) => ({ run: id, agent, principal, question: task })),
    expiresAt: consult.state.expiresAt,
    claims: consult.state.claims,
    decisions: decisions.map(({ id, state }) => ({ id, state: state.state })),
  };
}

/** Gives a question back whose poller left before it got it. */
async function release(deps: EngineDeps, caller: Caller, id: string): Promise<void> {
  const given = await deps.store.transact(async (tx) => {
    const consult = await lockConsult(tx, id);
    if (!consult) return null;
    const now = deps.now();
    const released = decideConsult(consult.state, { type: 'release', holder: holderOf(caller) }, { now, counted: now });
    if (!released.ok || !(await applyConsult(tx, id, released.value.from, released.value.next))) return null;
    const payload = { consult: id, asker: consult.asker };
    await appendAudit(tx, [{ type: released.value.event, at: now, actor: callerActor(caller), ...aboutAsked(consult), payload }]);
    return consult;
  });
  if (given) deps.signals.publish(TOPIC.questions(given.agent), id);
}

/** The ids that events about a consult's asked agent carry. */
export const aboutAsked = ({ agent, principal, run }: Pick<ConsultRecord, 'agent' | 'principal' | 'run'>) => ({ agent, principal, run });
