/**
 * Who a caller is and what it may do, from the rows as they are now.
 *
 * What was read is kept as long as the host's authority version stands; any change of mandates, agents, credentials, tools or the freeze
 * raises that version in its own transaction. `current` asks for the version (one round trip); `cached` goes by the last one seen, and is
 * only for paths that let their write commit under that version alone (see `recordIntents`).
 */
import { fail, ok, type Result } from '@countersign/contracts';
import { type CompiledMandate, compileMandate, effectiveScopes, laneOf } from '@countersign/core';
import {
  type AgentRecord,
  type CredentialRecord,
  findAgent,
  findCredential,
  findCredentialById,
  findMandate,
  findPrincipal,
  groupCommit,
  type HostRecord,
  listPrincipals,
  listTools,
  type PrincipalRecord,
  readHost,
  type Store,
  type ToolRecord,
  touchCredential,
} from '@countersign/store';
import type { Caller } from './caller.ts';
import { sha256 } from './digest.ts';
import { spentPlaces, usedTerms } from './term-uses.ts';

type Standing = {
  readonly principal: PrincipalRecord;
  readonly agent: AgentRecord | null;
  readonly mandate: CompiledMandate | null;
};

type Entry = { readonly credential: CredentialRecord; readonly standing: Standing };

/** Everything read under one authority version. */
type Snapshot = {
  readonly host: HostRecord;
  readonly credentials: Map<string, Entry>;
  readonly agents: Map<string, Standing | null>;
  readonly tools: ReadonlyMap<string, ToolRecord>;
  readonly principals: ReadonlySet<string>;
};

export type Freshness = 'current' | 'cached';

export type Authority = {
  /**
   * The caller behind a secret; null is the anonymous lane. A wrong, expired or revoked secret is an error, never the
   * anonymous lane; `detail.reason` is `unknown`, `revoked`, `expired` or `suspended`.
   */
  resolve(secret: string | null, freshness?: Freshness): Promise<Result<Caller, 'credential.invalid'>>;
  /** The same for an agent by name, as it stands now: what an approved call is dispatched under. Null when it is gone or suspended. */
  ofAgent(name: string): Promise<Caller | null>;
  /** The same for several at one authority version, in the order asked for: the hops above a call. */
  ofAgents(names: readonly string[], freshness?: Freshness): Promise<readonly (Caller | null)[]>;
  /** The same caller as it stands now, its credential looked at again. Null when it is no longer one. */
  again(caller: Caller): Promise<Caller | null>;
  /** The host's row, the tools' states and the principals' names. */
  host(freshness?: Freshness): Promise<Pick<Snapshot, 'host' | 'tools' | 'principals'>>;
  /** The tools' rows as they were read last, without a look at the database: for lists, which decide nothing. */
  toolsRead(): Snapshot['tools'];
  /** Forgets what was read; for after a change of authority in this process. */
  forget(): void;
};

type AuthorityDeps = {
  readonly store: Store;
  readonly now: () => string;
  readonly hold: () => { readonly wait: number; readonly wait_with_progress: number };
};

const ANONYMOUS_WHY = 'no credential came with the request, so this is the anonymous lane: three tools and no upstream';

export function createAuthority(deps: AuthorityDeps): Authority {
  let snapshot: Snapshot | null = null;
  let toolsRead: Snapshot['tools'] = new Map();
  /** Requests of one moment share a look at the host's row; one that comes while it is under way gets the next, never an older one. */
  const readLatest = groupCommit({
    flush: async (askers: readonly null[]): Promise<readonly HostRecord[]> => {
      const host = await readHost(deps.store.db);
      return askers.map(() => host);
    },
    maxBatch: Number.MAX_SAFE_INTEGER,
  });
  const lastNoted = new Map<string, string>();

  async function take(freshness: Freshness): Promise<Snapshot> {
    if (snapshot && freshness === 'cached') return snapshot;
    const host = await readLatest(null);
    if (snapshot?.host.authority === host.authority) return snapshot;
    const [tools, principals] = await Promise.all([listTools(deps.store.db), listPrincipals(deps.store.db)]);
    toolsRead = new Map(tools.map((tool) => [tool.key, tool]));
    snapshot = {
      host,
      credentials: new Map(),
      agents: new Map(),
      tools: toolsRead,
      principals: new Set(principals.map((principal) => principal.name)),
    };
    return snapshot;
  }

  async function standingOf(principalName: string, agent: AgentRecord | null): Promise<Standing | null> {
    const principal = await findPrincipal(deps.store.db, principalName);
    if (!principal) return null;
    const terms = await findMandate(deps.store.db, principalName);
    const spent = terms ? spentPlaces(terms.terms, await usedTerms(deps.store.db, principalName, terms.terms)) : [];
    const compiled = terms && compileMandate(principalName, terms.version, terms, spent);
    return { principal, agent, mandate: compiled?.ok ? compiled.value : null };
  }

  async function lookUp(view: Snapshot, secretHash: string): Promise<Entry | null> {
    const known = view.credentials.get(secretHash);
    if (known) return known;
    const found = await findCredential(deps.store.db, secretHash);
    if (!found || found.credential.kind === 'login') return null;
    const standing = await standingOf(found.credential.principal, found.agent);
    const entry = standing && { credential: found.credential, standing };
    // A miss is not kept: unknown secrets could be invented without end.
    if (entry) view.credentials.set(secretHash, entry);
    return entry;
  }

  return {
    async resolve(secret, freshness = 'current') {
      const view = await take(freshness);
      if (secret === null) return ok(anonymous(view.host.authority, deps.hold()));
      const found = await lookUp(view, sha256(secret));
      if (!found) return fail('credential.invalid', 'This credential is unknown. Ask your principal for a new one.', { reason: 'unknown' });
      return admit(found, view);
    },
    ofAgent: async (name) => named(await take('current'), name),
    async ofAgents(names, freshness = 'current') {
      if (names.length === 0) return [];
      const view = await take(freshness);
      return await Promise.all(names.map((name) => named(view, name)));
    },
    async again(caller) {
      if (!caller.credential) return await this.ofAgent(caller.agent?.name ?? caller.principal?.name ?? '');
      const view = await take('current');
      const credential = await findCredentialById(deps.store.db, caller.credential.id);
      const agent = credential?.agent ? await findAgent(deps.store.db, credential.agent) : null;
      const standing = credential && (await standingOf(credential.principal, agent));
      const admitted = standing && admit({ credential, standing }, view);
      return admitted?.ok ? admitted.value : null;
    },
    host: (freshness = 'current') => take(freshness),
    toolsRead: () => toolsRead,
    forget() {
      snapshot = null;
    },
  };

  function admit({ credential, standing }: Entry, view: Snapshot): Result<Caller, 'credential.invalid'> {
    const now = deps.now();
    if (credential.revokedAt)
      return fail('credential.invalid', `This credential was revoked at ${credential.revokedAt}.`, { reason: 'revoked' });
    if (credential.expiresAt && now >= credential.expiresAt)
      return fail('credential.invalid', `This credential expired at ${credential.expiresAt}.`, { reason: 'expired' });
    void noteUse(credential, now);
    return callerFrom(standing, credential, view.host.authority, deps.hold());
  }

  async function named(view: Snapshot, name: string): Promise<Caller | null> {
    let standing = view.agents.get(name);
    if (standing === undefined) {
      const agent = await findAgent(deps.store.db, name);
      standing = agent ? await standingOf(agent.principal, agent) : await standingOf(name, null);
      view.agents.set(name, standing);
    }
    const caller = standing && callerFrom(standing, null, view.host.authority, deps.hold());
    return caller?.ok ? caller.value : null;
  }

  async function noteUse(credential: CredentialRecord, now: string): Promise<void> {
    const last = lastNoted.get(credential.id) ?? credential.lastUsedAt;
    if (last && Date.parse(now) - Date.parse(last) < 60_000) return;
    lastNoted.set(credential.id, now);
    // Only for people to look at: a failed write here changes nothing that anybody relies on.
    await touchCredential(deps.store.db, credential.id, now).catch(() => lastNoted.delete(credential.id));
  }
}

function callerFrom(
  standing: Standing,
  credential: CredentialRecord | null,
  authority: number,
  hold: { readonly wait: number; readonly wait_with_progress: number },
): Result<Caller, 'credential.invalid'> {
  const { agent, principal, mandate } = standing;
  const placed = laneOf(
    agent
      ? { kind: 'agent', name: agent.name, status: agent.status, principal: principal.name }
      : { kind: 'principal', name: principal.name },
  );
  if (!placed.ok) return fail('credential.invalid', placed.error.message, { reason: 'suspended' });
  const { lane, why } = placed.value;
  const budget = credential?.hold ?? hold;
  return ok({
    lane,
    why,
    scopes: effectiveScopes({
      lane,
      credentialScopes: credential?.scopes ?? null,
      mandateScopes: agent ? (mandate?.scopes ?? []) : null,
    }),
    credential: credential && {
      id: credential.id,
      kind: credential.kind === 'login' ? 'session' : credential.kind,
      expiresAt: credential.expiresAt,
    },
    agent: agent && { name: agent.name, status: agent.status, description: agent.description },
    principal: { name: principal.name, displayName: principal.displayName },
    mandate,
    hold: { waitMs: budget.wait, waitWithProgressMs: budget.wait_with_progress },
    authority,
  });
}

const anonymous = (authority: number, hold: { readonly wait: number; readonly wait_with_progress: number }): Caller => ({
  lane: 'anonymous',
  why: ANONYMOUS_WHY,
  scopes: effectiveScopes({ lane: 'anonymous', credentialScopes: null, mandateScopes: null }),
  credential: null,
  agent: null,
  principal: null,
  mandate: null,
  hold: { waitMs: hold.wait, waitWithProgressMs: hold.wait_with_progress },
  authority,
});
