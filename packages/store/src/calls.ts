import type { CallId, CallState, Digest, Ground, RunId } from '@countersign/contracts';
import type { CallLife } from '@countersign/core';
import { and, desc, eq, gt, inArray, isNull, lte, notExists, or, sql } from 'drizzle-orm';
import { iso, isoOrNull, type Queryable, rowsOf } from './database.ts';
import { call, outbox, run } from './schema/index.ts';

/** One call as it is kept. `args`, `effectiveArgs` and `result` are exact JSON texts. */
export type CallRecord = {
  readonly id: CallId;
  readonly agent: string;
  readonly principal: string;
  readonly run: RunId;
  readonly tool: string;
  readonly args: string;
  readonly argsDigest: Digest;
  readonly effectiveArgs: string | null;
  readonly toolDigest: Digest;
  readonly rulesDigest: Digest;
  readonly authority: number;
  readonly mandateVersions: Readonly<Record<string, number>>;
  readonly effect: 'allow' | 'ask' | 'refuse';
  readonly grounds: readonly Ground[];
  readonly claimed: string | null;
  readonly life: CallLife;
  readonly cause: string | null;
  readonly reason: string | null;
  readonly result: string | null;
  readonly toldAt: string | null;
  readonly deliveredAt: string | null;
  readonly isIdempotent: boolean;
  /** Principals whose term of limited uses it was counted against. */
  readonly countedBy: readonly string[];
  readonly createdAt: string;
  readonly finishedAt: string | null;
};

type CallRow = typeof call.$inferSelect;

const toCall = (row: CallRow): CallRecord => ({
  id: row.id as CallId,
  agent: row.agent,
  principal: row.principal,
  run: row.run as RunId,
  tool: row.tool,
  args: row.args,
  argsDigest: row.argsDigest as Digest,
  effectiveArgs: row.effectiveArgs,
  toolDigest: row.toolDigest as Digest,
  rulesDigest: row.rulesDigest as Digest,
  authority: row.authority,
  mandateVersions: row.mandateVersions,
  effect: row.effect,
  grounds: row.grounds,
  claimed: row.claimed,
  life: {
    state: row.state,
    version: row.version,
    attempt: row.attempt,
    lease: row.leaseOwner && row.leaseUntil ? { owner: row.leaseOwner, until: iso(row.leaseUntil) } : null,
    mayHaveRun: row.mayHaveRun || row.state === 'unknown',
  },
  cause: row.cause,
  reason: row.reason,
  result: row.result,
  toldAt: isoOrNull(row.toldAt),
  deliveredAt: isoOrNull(row.deliveredAt),
  isIdempotent: row.isIdempotent,
  countedBy: row.countedBy ?? [],
  createdAt: iso(row.createdAt),
  finishedAt: isoOrNull(row.finishedAt),
});

/** The columns of a call's row; `finishedAt` and what comes after are set as it goes on. */
export const callRow = (record: CallRecord): typeof call.$inferInsert => ({
  id: record.id,
  agent: record.agent,
  principal: record.principal,
  run: record.run,
  tool: record.tool,
  args: record.args,
  argsDigest: record.argsDigest,
  effectiveArgs: record.effectiveArgs,
  toolDigest: record.toolDigest,
  rulesDigest: record.rulesDigest,
  authority: record.authority,
  mandateVersions: record.mandateVersions,
  effect: record.effect,
  grounds: record.grounds,
  claimed: record.claimed,
  state: record.life.state,
  version: record.life.version,
  attempt: record.life.attempt,
  leaseOwner: record.life.lease?.owner ?? null,
  leaseUntil: record.life.lease ? new Date(record.life.lease.until) : null,
  mayHaveRun: record.life.mayHaveRun,
  cause: record.cause,
  reason: record.reason,
  result: record.result,
  toldAt: record.toldAt ? new Date(record.toldAt) : null,
  deliveredAt: record.deliveredAt ? new Date(record.deliveredAt) : null,
  isIdempotent: record.isIdempotent,
  countedBy: record.countedBy.length > 0 ? [...record.countedBy] : null,
  createdAt: new Date(record.createdAt),
  finishedAt: record.finishedAt ? new Date(record.finishedAt) : null,
});

export async function insertCall(db: Queryable, record: CallRecord): Promise<void> {
  await db.insert(call).values(callRow(record));
}

export async function findCall(db: Queryable, id: string): Promise<CallRecord | null> {
  const [row] = await db.select().from(call).where(eq(call.id, id));
  return row ? toCall(row) : null;
}

/** What a transition sets beside the life itself. */
export type CallChanges = {
  readonly cause?: string | null;
  readonly reason?: string | null;
  readonly result?: string | null;
  readonly effectiveArgs?: string | null;
  readonly finishedAt?: string | null;
  /** Null alone: the outcome to come was not fetched yet. */
  readonly deliveredAt?: null;
  readonly countedBy?: readonly string[];
  readonly judged?: Pick<CallRecord, 'toolDigest' | 'rulesDigest' | 'authority' | 'mandateVersions' | 'grounds'>;
};

/** Applies a transition by compare-and-set. @returns false when somebody else was first: nothing changed. */
export async function applyCall(db: Queryable, id: string, from: number, next: CallLife, changes: CallChanges = {}): Promise<boolean> {
  const rows = await db
    .update(call)
    .set({
      state: next.state,
      version: next.version,
      attempt: next.attempt,
      leaseOwner: next.lease?.owner ?? null,
      leaseUntil: next.lease ? new Date(next.lease.until) : null,
      mayHaveRun: next.mayHaveRun,
      ...(changes.cause !== undefined && { cause: changes.cause }),
      ...(changes.reason !== undefined && { reason: changes.reason }),
      ...(changes.result !== undefined && { result: changes.result }),
      ...(changes.effectiveArgs !== undefined && { effectiveArgs: changes.effectiveArgs }),
      ...(changes.finishedAt !== undefined && { finishedAt: changes.finishedAt === null ? null : new Date(changes.finishedAt) }),
      ...(changes.deliveredAt !== undefined && { deliveredAt: changes.deliveredAt }),
      ...(changes.countedBy !== undefined && { countedBy: [...changes.countedBy] }),
      ...changes.judged,
    })
    .where(and(eq(call.id, id), eq(call.version, from)))
    .returning({ id: call.id });
  return rows.length === 1;
}

/** How long a result waits for an agent that calls again instead of fetching it; later, the call is a new one. The same as in `approved_twin`. */
const FETCHED_WITHIN_MS = 86_400_000;

/**
 * The call that an identical one attaches to: still open, or finished within a day before `at` and not yet delivered. Takes a transaction lock on the
 * (agent, tool, digest), so that two identical calls at once make one decision. `run`: the consult's run that it belongs to; null for an agent
 * acting for itself, whose calls attach from any session. What was asked under one chain never serves another.
 */
export async function findAttachable(
  db: Queryable,
  agent: string,
  tool: string,
  argsDigest: Digest,
  inRun: string | null,
  at: string,
): Promise<CallRecord | null> {
  const isOfSameChain =
    inRun === null ? sql`exists (select 1 from ${run} where ${run.id} = ${call.run} and ${run.parent} is null)` : eq(call.run, inRun);
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${agent} ${tool} ${argsDigest}`}, 0))`);
  const [row] = await db
    .select()
    .from(call)
    .where(
      and(
        eq(call.agent, agent),
        eq(call.tool, tool),
        eq(call.argsDigest, argsDigest),
        eq(call.effect, 'ask'),
        isOfSameChain,
        or(
          inArray(call.state, ['held', 'queued', 'executing']),
          and(
            inArray(call.state, ['done', 'failed', 'unknown']),
            isNull(call.deliveredAt),
            gt(call.finishedAt, new Date(Date.parse(at) - FETCHED_WITHIN_MS)),
          ),
        ),
      ),
    )
    .orderBy(desc(call.id))
    .limit(1);
  return row ? toCall(row) : null;
}

/** Marks that the caller knows the decision's id (`told`) or has the outcome (`delivered`). Only an attempt anew unsets the latter. */
export async function markCall(db: Queryable, id: string, mark: 'told' | 'delivered', at: string): Promise<void> {
  const column = mark === 'told' ? call.toldAt : call.deliveredAt;
  await db
    .update(call)
    .set(mark === 'told' ? { toldAt: new Date(at) } : { deliveredAt: new Date(at) })
    .where(and(eq(call.id, id), isNull(column)));
}

/** Marks the same call's refusals as delivered: their agent was just told of them again. */
export async function markRefusalsDelivered(
  db: Queryable,
  { agent, tool, argsDigest }: Pick<CallRecord, 'agent' | 'tool' | 'argsDigest'>,
  at: string,
): Promise<void> {
  const isSame = and(eq(call.agent, agent), eq(call.tool, tool), eq(call.argsDigest, argsDigest));
  await db
    .update(call)
    .set({ deliveredAt: new Date(at) })
    .where(and(isSame, eq(call.state, 'refused'), isNull(call.deliveredAt)));
}

/**
 * Calls that need somebody: executing under a lease that ran out, or running since before `startedBefore` (their process died); then those that
 * are queued and that nobody promised to send later than now.
 */
export async function findStranded(db: Queryable, now: string, startedBefore: string, limit: number): Promise<readonly CallRecord[]> {
  const promise = db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.job, 'dispatch'), eq(outbox.subject, call.id), gt(outbox.relayAt, new Date(now))));
  const rows = await db
    .select()
    .from(call)
    .where(
      or(
        and(eq(call.state, 'queued'), notExists(promise)),
        and(eq(call.state, 'executing'), lte(call.leaseUntil, new Date(now))),
        and(eq(call.state, 'running'), lte(call.createdAt, new Date(startedBefore))),
      ),
    )
    .orderBy(sql`${call.state} = 'queued'`, call.id)
    .limit(limit);
  return rows.map(toCall);
}

/** Prolongs a lease that `owner` still holds. @returns false when it is lost. */
export async function heartbeat(db: Queryable, id: string, owner: string, until: string): Promise<boolean> {
  const rows = await db
    .update(call)
    .set({ leaseUntil: new Date(until) })
    .where(and(eq(call.id, id), eq(call.state, 'executing'), eq(call.leaseOwner, owner)))
    .returning({ id: call.id });
  return rows.length === 1;
}

/** The last finished calls of each of these runs, newest first, for the context that the server saw itself. */
export async function lastCalls(db: Queryable, runIds: readonly string[], perRun: number): Promise<readonly CallRecord[]> {
  if (runIds.length === 0) return [];
  const asked = sql.join(
    runIds.map((id) => sql`(${id})`),
    sql`, `,
  );
  const rows = await rowsOf<{ id: string }>(
    db,
    sql`select recent.id from (values ${asked}) as asked(run) cross join lateral
        (select id from ${call} where run = asked.run and finished_at is not null order by id desc limit ${perRun}) as recent`,
  );
  const calls = await findCalls(
    db,
    rows.map((row) => row.id),
  );
  return [...calls].sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The calls of these runs that are not over: held, or approved and not sent yet. */
export async function openCallsOf(db: Queryable, runIds: readonly string[]): Promise<readonly CallRecord[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .select()
    .from(call)
    .where(and(inArray(call.run, [...runIds]), inArray(call.state, ['held', 'queued'])))
    .orderBy(call.id);
  return rows.map(toCall);
}

/** How many calls are in each of these states; for backpressure and health. */
export async function countCalls(db: Queryable, states: readonly CallState[]): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(call)
    .where(inArray(call.state, [...states]));
  return row?.count ?? 0;
}

/** The same as `findCall`, with the row locked until the transaction ends. */
export async function lockCall(tx: Queryable, id: string): Promise<CallRecord | null> {
  const [row] = await tx.select().from(call).where(eq(call.id, id)).for('update');
  return row ? toCall(row) : null;
}

/** The calls of these ids, in no order. */
export async function findCalls(db: Queryable, ids: readonly string[]): Promise<readonly CallRecord[]> {
  if (ids.length === 0) return [];
  return (
    await db
      .select()
      .from(call)
      .where(inArray(call.id, [...ids]))
  ).map(toCall);
}
