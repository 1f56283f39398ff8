import {
  type Credential,
  type CredentialInput,
  type ErrorCode,
  fail,
  type IssuedCredential,
  ok,
  PRINCIPAL_ONLY_SCOPE,
  type Result,
} from '@countersign/contracts';
import {
  appendAudit,
  bumpAuthority,
  type CredentialRecord,
  findAgent,
  findCredential,
  findCredentialById,
  findPrincipal,
  insertCredential,
  listCredentials as listRecords,
  mintId,
  revokeCredential as revokeRecord,
  type Transaction,
} from '@countersign/store';
import { actorOf, type Doer } from './actor.ts';
import { mayManage } from './agents.ts';
import { announceAuthority } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import { mintSecret, sha256 } from './digest.ts';
import { later } from './settle-call.ts';

const DAY_MS = 86_400_000;
const TTL_DAYS = 90;
const SESSION_MS = 12 * 3_600_000;
const LINK_MS = 30 * 60_000;

type Issue = Pick<CredentialRecord, 'kind' | 'agent' | 'principal'> &
  Partial<Pick<CredentialRecord, 'scopes' | 'hold' | 'label' | 'expiresAt'>>;
const PREFIX = { agent: 'csa', principal: 'csp', session: 'css', login: 'csl' } as const;

/** Writes a credential; the secret is in the answer and nowhere else. */
const issue = (deps: EngineDeps, doer: Doer, fresh: Issue): Promise<{ token: string; record: CredentialRecord }> =>
  deps.store.transact((tx) => issueIn(tx, deps, doer, fresh));

async function issueIn(tx: Transaction, deps: EngineDeps, doer: Doer, fresh: Issue): Promise<{ token: string; record: CredentialRecord }> {
  const at = deps.now();
  const token = mintSecret(PREFIX[fresh.kind]);
  const record: CredentialRecord = {
    id: mintId('crd'),
    kind: fresh.kind,
    agent: fresh.agent,
    principal: fresh.principal,
    secretHash: sha256(token),
    scopes: fresh.scopes ?? null,
    hold: fresh.hold ?? null,
    label: fresh.label ?? '',
    createdAt: at,
    expiresAt: fresh.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await insertCredential(tx, record);
  await appendAudit(tx, [
    {
      type: fresh.kind === 'login' ? 'login.link_issued' : fresh.kind === 'session' ? 'login.succeeded' : 'credential.issued',
      at,
      actor: actorOf(doer),
      principal: fresh.principal,
      agent: fresh.agent,
      payload: { credential: record.id, kind: fresh.kind, scopes: record.scopes, expiresAt: record.expiresAt, label: record.label },
    },
  ]);
  return { token, record };
}

/** A new credential of an agent, shown this once. `mandate:write` is never among its scopes. */
export async function issueAgentCredential(
  deps: EngineDeps,
  doer: Doer,
  name: string,
  input: CredentialInput,
): Promise<Result<IssuedCredential, ErrorCode>> {
  if (input.scopes?.includes(PRINCIPAL_ONLY_SCOPE)) {
    return fail(
      'scope.never_granted',
      'mandate:write is never given to an agent: one that can change its own terms does not act under terms.',
    );
  }
  const agent = await findAgent(deps.store.db, name);
  if (!agent || !mayManage(doer, agent)) return fail('not_found', `There is no agent ${name}.`);
  const { token, record } = await issue(deps, doer, {
    kind: 'agent',
    agent: name,
    principal: agent.principal,
    scopes: input.scopes ?? null,
    hold: input.hold ?? null,
    label: input.label,
    expiresAt: later(deps.now(), (input.ttl_days ?? TTL_DAYS) * DAY_MS),
  });
  return ok({ token, id: record.id, expiresAt: record.expiresAt });
}

/** A token of a principal, for the CLI and scripts; the operator issues it. */
export async function issuePrincipalToken(
  deps: EngineDeps,
  doer: Doer,
  name: string,
  input: Pick<CredentialInput, 'label' | 'ttl_days'>,
): Promise<Result<IssuedCredential, ErrorCode>> {
  if (!(await findPrincipal(deps.store.db, name))) return fail('not_found', `There is no principal ${name}.`);
  const { token, record } = await issue(deps, doer, {
    kind: 'principal',
    agent: null,
    principal: name,
    label: input.label,
    expiresAt: later(deps.now(), (input.ttl_days ?? TTL_DAYS) * DAY_MS),
  });
  return ok({ token, id: record.id, expiresAt: record.expiresAt });
}

/** The token of a link (`/login/…`) that logs a principal in once. Loading it consumes nothing; only the button on its page does. */
export async function issueLoginLink(
  deps: EngineDeps,
  doer: Doer,
  name: string,
): Promise<Result<{ readonly token: string; readonly expiresAt: string }, ErrorCode>> {
  if (!(await findPrincipal(deps.store.db, name))) return fail('not_found', `There is no principal ${name}.`);
  const expiresAt = later(deps.now(), LINK_MS);
  const { token } = await issue(deps, doer, { kind: 'login', agent: null, principal: name, expiresAt });
  return ok({ token, expiresAt });
}

export type Session = { readonly secret: string; readonly expiresAt: string; readonly principal: string };

/** Turns a one-time link into a session: the link is used up and the session made, both or neither. Of two at once, one gets it. */
export async function redeemLogin(deps: EngineDeps, token: string): Promise<Result<Session, 'credential.invalid'>> {
  const found = await findCredential(deps.store.db, sha256(token));
  const link = found?.credential;
  const session = await deps.store.transact(async (tx) => {
    const isUsed = link?.kind !== 'login' || !(await revokeRecord(tx, link.id, deps.now()));
    return isUsed ? null : await openSessionIn(tx, deps, link.principal);
  });
  if (!session)
    return fail('credential.invalid', 'This link was used already, or it is too old. Ask for a new one: countersign login NAME');
  return ok(session);
}

/** A browser session of a principal, after a link or a token proved who it is. */
export const openSession = (deps: EngineDeps, principal: string): Promise<Session> =>
  deps.store.transact((tx) => openSessionIn(tx, deps, principal));

async function openSessionIn(tx: Transaction, deps: EngineDeps, principal: string): Promise<Session> {
  const expiresAt = later(deps.now(), SESSION_MS);
  const { token } = await issueIn(tx, deps, { host: 'login' }, { kind: 'session', agent: null, principal, expiresAt });
  return { secret: token, expiresAt, principal };
}

/** The credentials of an agent, without their secrets. */
export async function listCredentials(
  deps: EngineDeps,
  doer: Doer,
  name: string,
): Promise<Result<{ items: Credential[]; nextCursor: null }, ErrorCode>> {
  const agent = await findAgent(deps.store.db, name);
  if (!agent || !mayManage(doer, agent)) return fail('not_found', `There is no agent ${name}.`);
  return ok({ items: (await listRecords(deps.store.db, name)).map(toWire), nextCursor: null });
}

const toWire = (record: CredentialRecord): Credential => ({
  id: record.id,
  agent: record.agent,
  principal: record.principal,
  label: record.label,
  scopes: record.scopes && [...record.scopes],
  createdAt: record.createdAt,
  expiresAt: record.expiresAt,
  revokedAt: record.revokedAt,
  lastUsedAt: record.lastUsedAt,
});

/** Ends a credential; its next request is a 401. Revoking a dead one is told apart from an unknown one by nothing. */
export async function revokeCredential(deps: EngineDeps, doer: Doer, id: string): Promise<Result<null, ErrorCode>> {
  const record = await findCredentialById(deps.store.db, id);
  if (!record || !mayManage(doer, record)) return fail('not_found', `There is no credential ${id}.`);
  const at = deps.now();
  await deps.store.transact(async (tx) => {
    if (!(await revokeRecord(tx, id, at))) return;
    await bumpAuthority(tx);
    await appendAudit(tx, [
      {
        type: 'credential.revoked',
        at,
        actor: actorOf(doer),
        principal: record.principal,
        agent: record.agent,
        payload: { credential: id, kind: record.kind },
      },
    ]);
  });
  announceAuthority(deps);
  return ok(null);
}
