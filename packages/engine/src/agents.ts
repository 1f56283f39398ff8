import { type Agent, type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import { fold } from '@countersign/core';
import {
  type AgentRecord,
  appendAudit,
  bumpAuthority,
  findAgent,
  findCall,
  findPrincipal,
  insertAgent,
  listPrincipals,
  listAgents as listRecords,
  lockAuthority,
  mintId,
  pendingOn,
  runsOfConsultsWith,
  setAgentStatus,
} from '@countersign/store';
import { actorOf, type Doer } from './actor.ts';
import { announceSettled } from './after-settling.ts';
import { announceAuthority, announceChange } from './announce.ts';
import { announceCancelled, type Cancelled, cancelTree } from './cancel-run.ts';
import type { EngineDeps } from './deps.ts';
import { isName, NAME_RULE } from './principals.ts';
import { refuseCall, type Settled, withdrawOpen } from './settle-call.ts';

export type NewAgent = {
  readonly name: string;
  readonly principal: string;
  readonly description: string;
  readonly status?: 'probation' | 'member';
};

/** Makes an agent of a principal, on probation until that principal admits it. Equal and look-alike names are refused. */
export async function createAgent(deps: EngineDeps, doer: Doer, fresh: NewAgent): Promise<Result<Agent, ErrorCode>> {
  if (!isName(fresh.name)) return fail('input.invalid', NAME_RULE);
  if (!(await findPrincipal(deps.store.db, fresh.principal))) return fail('not_found', `There is no principal ${fresh.principal}.`);
  const at = deps.now();
  const record: AgentRecord = { ...fresh, id: mintId('agt'), folded: fold(fresh.name), status: fresh.status ?? 'probation', createdAt: at };
  const made = await deps.store.transact(async (tx): Promise<Result<null, ErrorCode>> => {
    // Under the lock that makes principals too, so that two at once don't take one name.
    await lockAuthority(tx);
    const alike = (await listPrincipals(tx)).find((principal) => fold(principal.name) === record.folded);
    if (alike) return fail('agent.name_taken', `${fresh.name} is, or looks like, the name of a principal: ${alike.name}.`);
    if (!(await insertAgent(tx, record)))
      return fail('agent.name_taken', `There is an agent of that name, or one that looks like ${fresh.name}.`);
    await bumpAuthority(tx);
    await appendAudit(tx, [
      {
        type: 'agent.created',
        at,
        actor: actorOf(doer),
        principal: fresh.principal,
        agent: fresh.name,
        payload: { status: record.status, description: fresh.description },
      },
    ]);
    return ok(null);
  });
  if (!made.ok) return made;
  announceAuthority(deps);
  announceChange(deps, { type: 'agent', id: fresh.name, state: record.status, seenBy: [fresh.principal] });
  return ok(toWire({ ...record, lastSeenAt: null }));
}

/** A principal's agents, or all of them for the operator. */
export async function listAgents(deps: EngineDeps, principal: string | null): Promise<{ items: Agent[]; nextCursor: null }> {
  return { items: (await listRecords(deps.store.db, principal)).map(toWire), nextCursor: null };
}

const toWire = ({ folded: _, status, ...agent }: AgentRecord & { readonly lastSeenAt: string | null }): Agent => ({
  ...agent,
  status,
  lane: status === 'member' ? 'member' : 'probation',
});

/** Admits an agent: from its next request on it is a member. Only its principal, or the operator, does. */
export const admitAgent = (deps: EngineDeps, doer: Doer, name: string): Promise<Result<Agent, ErrorCode>> =>
  setStatus(deps, doer, name, 'member');

/**
 * Suspends an agent: its next request finds no tools, its open decisions and its consults are withdrawn, those that it was asked included, and
 * nothing of it is dispatched.
 */
export const suspendAgent = (deps: EngineDeps, doer: Doer, name: string): Promise<Result<Agent, ErrorCode>> =>
  setStatus(deps, doer, name, 'suspended');

async function setStatus(deps: EngineDeps, doer: Doer, name: string, status: 'member' | 'suspended'): Promise<Result<Agent, ErrorCode>> {
  const actor = actorOf(doer);
  const at = deps.now();
  const changed = await deps.store.transact(
    async (tx): Promise<{ agent: AgentRecord; settled: Settled[]; cancelled: Cancelled[] } | null> => {
      const agent = await findAgent(tx, name);
      if (!agent || !mayManage(doer, agent)) return null;
      if (agent.status === status) return { agent, settled: [], cancelled: [] };
      await setAgentStatus(tx, name, status);
      await bumpAuthority(tx);
      await appendAudit(tx, [
        {
          type: status === 'member' ? 'agent.admitted' : 'agent.suspended',
          at,
          actor,
          principal: agent.principal,
          agent: name,
          payload: { from: agent.status },
        },
      ]);
      const settled: Settled[] = [];
      const open = status === 'suspended' ? await pendingOn(tx, { agent: name }) : [];
      for (const decision of open) {
        const call = decision.call ? await findCall(tx, decision.call) : null;
        const reason = `${name} was suspended by ${actor.name}.`;
        const decisions = call
          ? await refuseCall(tx, call, { cause: 'withdrawn', reason, actor, decision: decision.id }, at)
          : await withdrawOpen(tx, [decision], actor, reason, at);
        settled.push({ call, isQueued: false, decisions });
      }
      const runs = status === 'suspended' ? await runsOfConsultsWith(tx, name) : [];
      const cancelled: Cancelled[] = [];
      for (const run of runs) cancelled.push(await cancelTree(tx, run, { actor, reason: `${name} was suspended by ${actor.name}.` }, at));
      return { agent: { ...agent, status }, settled, cancelled };
    },
  );
  if (!changed) return fail('not_found', `There is no agent ${name}.`);
  announceAuthority(deps);
  for (const settled of changed.settled) await announceSettled(deps, settled);
  for (const cancelled of changed.cancelled) await announceCancelled(deps, cancelled);
  announceChange(deps, { type: 'agent', id: name, state: status, seenBy: [changed.agent.principal] });
  return ok(toWire({ ...changed.agent, lastSeenAt: null }));
}

/** Whether this doer may manage an agent: its own principal, or the operator. An agent never manages one. */
export const mayManage = (doer: Doer, agent: Pick<AgentRecord, 'principal'>): boolean =>
  'operator' in doer || ('host' in doer ? true : doer.caller.agent === null && doer.caller.principal?.name === agent.principal);
