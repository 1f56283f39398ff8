import { type ErrorCode, fail, type Mandate, type MandateTerms, ok, type Principal, type Result } from '@countersign/contracts';
import { compareMandates, compileMandate, fold, mandateWarnings } from '@countersign/core';
import {
  appendAudit,
  appendMandate,
  bumpAuthority,
  dropUsesExcept,
  findMandate,
  findPrincipal,
  insertPrincipal,
  listAgents,
  listPrincipals as listRecords,
  lockAuthority,
  mintId,
  type PrincipalRecord,
} from '@countersign/store';
import { actorOf, callerActor, type Doer } from './actor.ts';
import { announceAuthority, announceChange } from './announce.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { termDigest, usedTerms } from './term-uses.ts';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
export const NAME_RULE = 'A name is a small letter, then up to 31 small letters, digits or -.';
export const isName = (name: string): boolean => NAME.test(name);

export type NewPrincipal = {
  readonly name: string;
  readonly displayName: string;
  readonly email?: string | undefined;
  readonly mandate?: MandateTerms | undefined;
};

/** Makes a principal and the first version of its mandate. */
export async function createPrincipal(deps: EngineDeps, doer: Doer, fresh: NewPrincipal): Promise<Result<Principal, ErrorCode>> {
  if (!isName(fresh.name)) return fail('input.invalid', NAME_RULE);
  const terms: MandateTerms = fresh.mandate ?? { scopes: [], terms: [] };
  const compiled = compileMandate(fresh.name, 1, terms);
  if (!compiled.ok) return compiled;
  const at = deps.now();
  const actor = actorOf(doer);
  const record: PrincipalRecord = {
    id: mintId('prn'),
    name: fresh.name,
    displayName: fresh.displayName,
    email: fresh.email ?? null,
    createdAt: at,
  };
  const made = await deps.store.transact(async (tx): Promise<Result<null, ErrorCode>> => {
    // Under the lock that makes agents too, so that two at once don't take one name.
    await lockAuthority(tx);
    const alike = (await listAgents(tx, null)).find((agent) => agent.folded === fold(fresh.name));
    if (alike) {
      const message = `There is an agent ${alike.name}: a principal of that name, or of one that looks like it, would be taken for it.`;
      return fail('agent.name_taken', message);
    }
    if (!(await insertPrincipal(tx, record))) return fail('agent.name_taken', `There is a principal ${fresh.name} already.`);
    await appendMandate(tx, { ...terms, principal: fresh.name, version: 1, madeBy: actor.name, createdAt: at });
    await bumpAuthority(tx);
    await appendAudit(tx, [
      { type: 'principal.created', at, actor, principal: fresh.name, payload: { name: fresh.name, displayName: fresh.displayName } },
      { type: 'mandate.changed', at, actor, principal: fresh.name, payload: { version: 1, mandate: terms } },
    ]);
    return ok(null);
  });
  if (!made.ok) return made;
  announceAuthority(deps);
  return ok(toWire(record));
}

const toWire = ({ id, name, displayName, email }: PrincipalRecord): Principal => ({ id, name, displayName, email });

export async function listPrincipals(deps: EngineDeps): Promise<{ items: Principal[]; nextCursor: null }> {
  return { items: (await listRecords(deps.store.db)).map(toWire), nextCursor: null };
}

export async function findPrincipalByName(deps: EngineDeps, name: string): Promise<Principal | null> {
  const record = await findPrincipal(deps.store.db, name);
  return record && toWire(record);
}

/** The principal's current terms with their version, and how often those of limited uses were used. */
export async function getMandate(deps: EngineDeps, caller: Caller): Promise<Result<Mandate, ErrorCode>> {
  if (!caller.principal) return fail('credential.missing', 'A mandate belongs to a principal; this request came without one.');
  const record = await findMandate(deps.store.db, caller.principal.name);
  if (!record) return fail('not_found', `${caller.principal.name} has no mandate.`);
  const { principal: _, ...mandate } = record;
  return ok({ ...mandate, used: [...(await usedTerms(deps.store.db, record.principal, record.terms))] });
}

/**
 * Appends a new version of the principal's own mandate. `ifMatch` is the version that it was made from: when somebody was faster, nothing
 * is written. Takes effect on the next request of every credential, open sessions and held calls included. What the principal should know
 * about its new terms (whom they lock out) comes back as `warnings`; they are in force all the same.
 */
export async function setMandate(
  deps: EngineDeps,
  caller: Caller,
  terms: MandateTerms,
  ifMatch: number,
): Promise<Result<Mandate, ErrorCode>> {
  const { principal } = caller;
  if (caller.agent || !principal) {
    return fail('scope.never_granted', 'mandate:write is never given to an agent: one that can change its terms does not act under terms.');
  }
  const version = ifMatch + 1;
  const compiled = compileMandate(principal.name, version, terms);
  if (!compiled.ok) return compiled;
  const at = deps.now();
  const actor = callerActor(caller);
  const written = await deps.store.transact(async (tx) => {
    await lockAuthority(tx);
    const before = await findMandate(tx, principal.name);
    if (before?.version !== ifMatch) return null;
    if (!(await appendMandate(tx, { ...terms, principal: principal.name, version, madeBy: actor.name, createdAt: at }))) return null;
    await dropUsesExcept(tx, principal.name, terms.terms.map(termDigest));
    await bumpAuthority(tx);
    const change = compareMandates(before, terms);
    await appendAudit(tx, [
      { type: `mandate.${change}`, at, actor, principal: principal.name, payload: { version, from: ifMatch, mandate: terms } },
    ]);
    return { version, ...terms, madeBy: actor.name, createdAt: at };
  });
  if (!written)
    return fail('conflict', `Your mandate is not at version ${ifMatch}: it was changed meanwhile. Load it again; nothing was changed.`);
  announceAuthority(deps);
  announceChange(deps, { type: 'mandate', id: principal.name, version, seenBy: [principal.name] });
  const tools = deps.upstreams.tools().map((tool) => tool.key);
  return ok({
    ...written,
    used: [...(await usedTerms(deps.store.db, principal.name, terms.terms))],
    warnings: [...mandateWarnings(terms, tools, at)],
  });
}
