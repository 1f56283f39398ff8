import type { AgentId, CredentialId, Scope } from '@countersign/contracts';
import { and, asc, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import { iso, isoOrNull, type Queryable } from './database.ts';
import { agent, credential } from './schema/index.ts';

export type AgentRecord = {
  readonly id: AgentId;
  readonly name: string;
  /** The name with case, separators and look-alikes folded: no two agents may share it. */
  readonly folded: string;
  readonly principal: string;
  readonly status: 'probation' | 'member' | 'suspended';
  readonly description: string;
  readonly createdAt: string;
};

const toAgent = (row: typeof agent.$inferSelect): AgentRecord => ({ ...row, id: row.id as AgentId, createdAt: iso(row.createdAt) });

/** @returns false when the name or its folded form is taken. */
export async function insertAgent(db: Queryable, record: AgentRecord): Promise<boolean> {
  const rows = await db
    .insert(agent)
    .values({ ...record, createdAt: new Date(record.createdAt) })
    .onConflictDoNothing()
    .returning({ id: agent.id });
  return rows.length === 1;
}

export async function findAgent(db: Queryable, name: string): Promise<AgentRecord | null> {
  const [row] = await db.select().from(agent).where(eq(agent.name, name));
  return row ? toAgent(row) : null;
}

/** Agents by name, with when each last used a credential. */
export async function listAgents(
  db: Queryable,
  principalName: string | null,
): Promise<readonly (AgentRecord & { readonly lastSeenAt: string | null })[]> {
  const rows = await db
    .select({
      agent,
      lastSeenAt: sql<string | null>`(select max(${credential.lastUsedAt}) from ${credential} where ${credential.agent} = ${agent.name})`,
    })
    .from(agent)
    .where(principalName === null ? undefined : eq(agent.principal, principalName))
    .orderBy(asc(agent.name));
  return rows.map((row) => ({ ...toAgent(row.agent), lastSeenAt: row.lastSeenAt ? new Date(row.lastSeenAt).toISOString() : null }));
}

/** @returns the agent before the change, or null when there is none. */
export async function setAgentStatus(db: Queryable, name: string, status: AgentRecord['status']): Promise<void> {
  await db.update(agent).set({ status }).where(eq(agent.name, name));
}

export type CredentialRecord = {
  readonly id: CredentialId;
  readonly kind: 'agent' | 'principal' | 'session' | 'login';
  readonly agent: string | null;
  readonly principal: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[] | null;
  readonly hold: { readonly wait: number; readonly wait_with_progress: number } | null;
  readonly label: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
};

const toCredential = (row: typeof credential.$inferSelect): CredentialRecord => ({
  ...row,
  id: row.id as CredentialId,
  createdAt: iso(row.createdAt),
  expiresAt: isoOrNull(row.expiresAt),
  revokedAt: isoOrNull(row.revokedAt),
  lastUsedAt: isoOrNull(row.lastUsedAt),
});

export async function insertCredential(db: Queryable, record: CredentialRecord): Promise<void> {
  await db.insert(credential).values({
    ...record,
    createdAt: new Date(record.createdAt),
    expiresAt: record.expiresAt ? new Date(record.expiresAt) : null,
    revokedAt: record.revokedAt ? new Date(record.revokedAt) : null,
    lastUsedAt: record.lastUsedAt ? new Date(record.lastUsedAt) : null,
  });
}

/** A credential by its secret's hash, and the agent behind it; live or not: the caller judges expiry and revocation. */
export async function findCredential(
  db: Queryable,
  secretHash: string,
): Promise<{ readonly credential: CredentialRecord; readonly agent: AgentRecord | null } | null> {
  const [row] = await db
    .select()
    .from(credential)
    .leftJoin(agent, eq(agent.name, credential.agent))
    .where(eq(credential.secretHash, secretHash));
  return row ? { credential: toCredential(row.credential), agent: row.agent ? toAgent(row.agent) : null } : null;
}

export async function findCredentialById(db: Queryable, id: string): Promise<CredentialRecord | null> {
  const [row] = await db.select().from(credential).where(eq(credential.id, id));
  return row ? toCredential(row) : null;
}

export async function listCredentials(db: Queryable, agentName: string): Promise<readonly CredentialRecord[]> {
  return (await db.select().from(credential).where(eq(credential.agent, agentName)).orderBy(desc(credential.id))).map(toCredential);
}

/** Ends a live credential. @returns false when it is over already: of two uses of a one-time link, one gets true. */
export async function revokeCredential(db: Queryable, id: string, at: string): Promise<boolean> {
  const rows = await db
    .update(credential)
    .set({ revokedAt: new Date(at) })
    .where(
      and(eq(credential.id, id), isNull(credential.revokedAt), or(isNull(credential.expiresAt), gt(credential.expiresAt, new Date(at)))),
    )
    .returning({ id: credential.id });
  return rows.length === 1;
}

/** Notes a use, at most once a minute: it is for people to look at and changes no authority. */
export async function touchCredential(db: Queryable, id: string, at: string): Promise<void> {
  const minuteAgo = new Date(Date.parse(at) - 60_000);
  await db
    .update(credential)
    .set({ lastUsedAt: new Date(at) })
    .where(and(eq(credential.id, id), or(isNull(credential.lastUsedAt), lt(credential.lastUsedAt, minuteAgo))));
}
