import type { ConsultId, Digest, RunId } from '@countersign/contracts';
import type { ConsultState } from '@countersign/core';
import { and, desc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { iso, isoOrNull, type Queryable } from './database.ts';
import { call, consult, run } from './schema/index.ts';

/** One question of an agent to another, as it is kept. */
export type ConsultRecord = {
  readonly id: ConsultId;
  readonly run: RunId;
  readonly askerRun: RunId;
  readonly asker: string;
  readonly askerPrincipal: string;
  readonly askedWith: string | null;
  readonly agent: string;
  readonly principal: string;
  readonly question: string;
  readonly questionDigest: Digest;
  readonly state: ConsultState;
  readonly answer: string | null;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
};

type ConsultRow = typeof consult.$inferSelect;

function toState(row: ConsultRow): ConsultState {
  const common = { version: row.version, expiresAt: iso(row.expiresAt), claims: row.claims };
  const settledAt = isoOrNull(row.settledAt) ?? common.expiresAt;
  switch (row.state) {
    case 'open':
      return { ...common, state: 'open' };
    case 'claimed':
      return { ...common, state: 'claimed', claim: { holder: row.holder ?? '', until: isoOrNull(row.claimedUntil) ?? common.expiresAt } };
    case 'answered':
      return { ...common, state: 'answered', settledAt };
    case 'withdrawn':
      return { ...common, state: 'withdrawn', by: row.settledBy ?? '', reason: row.settledReason ?? '', settledAt };
    case 'expired':
      return { ...common, state: 'expired', settledAt };
    default:
      return row.state satisfies never;
  }
}

const toConsult = (row: ConsultRow): ConsultRecord => ({
  id: row.id as ConsultId,
  run: row.run as RunId,
  askerRun: row.askerRun as RunId,
  asker: row.asker,
  askerPrincipal: row.askerPrincipal,
  askedWith: row.askedWith,
  agent: row.agent,
  principal: row.principal,
  question: row.question,
  questionDigest: row.questionDigest as Digest,
  state: toState(row),
  answer: row.answer,
  createdAt: iso(row.createdAt),
  deliveredAt: isoOrNull(row.deliveredAt),
});

const stateColumns = (state: ConsultState) => ({
  state: state.state,
  version: state.version,
  claims: state.claims,
  expiresAt: new Date(state.expiresAt),
  holder: state.state === 'claimed' ? state.claim.holder : null,
  claimedUntil: state.state === 'claimed' ? new Date(state.claim.until) : null,
  ...('settledAt' in state && { settledAt: new Date(state.settledAt) }),
  ...(state.state === 'withdrawn' && { settledBy: state.by, settledReason: state.reason }),
});

export async function insertConsult(tx: Queryable, record: ConsultRecord): Promise<void> {
  await tx.insert(consult).values({ ...record, ...stateColumns(record.state), createdAt: new Date(record.createdAt), deliveredAt: null });
}

export async function findConsult(db: Queryable, id: string): Promise<ConsultRecord | null> {
  const [row] = await db.select().from(consult).where(eq(consult.id, id));
  return row ? toConsult(row) : null;
}

/** The same with the row locked until the transaction ends. */
export async function lockConsult(tx: Queryable, id: string): Promise<ConsultRecord | null> {
  const [row] = await tx.select().from(consult).where(eq(consult.id, id)).for('update');
  return row ? toConsult(row) : null;
}

/** The consult whose holder was given this run token; an earlier holder's token is no longer one. */
export async function findConsultByToken(db: Queryable, tokenHash: string): Promise<ConsultRecord | null> {
  const [row] = await db.select().from(consult).where(eq(consult.tokenHash, tokenHash));
  return row ? toConsult(row) : null;
}

/**
 * Applies a transition by compare-and-set. The token goes with the claim: none is left where nobody holds one.
 * @returns false when somebody else was first.
 */
export async function applyConsult(
  db: Queryable,
  id: string,
  from: number,
  next: ConsultState,
  changes: { readonly tokenHash?: string; readonly answer?: string } = {},
): Promise<boolean> {
  // A settled consult keeps its token's hash, so that its bearer is told that the run is over.
  const tokenHash = next.state === 'open' ? null : changes.tokenHash;
  const rows = await db
    .update(consult)
    .set({
      ...stateColumns(next),
      ...(tokenHash !== undefined && { tokenHash }),
      ...(changes.answer !== undefined && { answer: changes.answer }),
    })
    .where(and(eq(consult.id, id), eq(consult.version, from), inArray(consult.state, ['open', 'claimed'])))
    .returning({ id: consult.id });
  return rows.length === 1;
}

/** Prolongs the claim of a holder that gave a sign of life; changes no state. */
export async function renewClaim(db: Queryable, id: string, holder: string, until: string): Promise<void> {
  await db
    .update(consult)
    .set({ claimedUntil: new Date(until) })
    .where(and(eq(consult.id, id), eq(consult.state, 'claimed'), eq(consult.holder, holder)));
}

/** No call of the consult's run is under way, and none ended after `since`. */
const isQuiet = (since: string): SQL =>
  sql`not exists (select 1 from ${call} where ${call.run} = ${consult.run} and (${call.finishedAt} is null or ${call.finishedAt} > ${since}))`;

/**
 * The oldest question that this agent may be handed, its row locked: open, or claimed by a holder whose lease is over `now` while no call of the
 * run is under way or ended after `quietSince`. `counted`: what deadlines are measured against. Rows that another poller is at are skipped.
 */
export async function lockNextQuestion(
  tx: Queryable,
  agent: string,
  at: { readonly now: string; readonly counted: string; readonly quietSince: string },
): Promise<ConsultRecord | null> {
  const isAbandoned = and(eq(consult.state, 'claimed'), lte(consult.claimedUntil, new Date(at.now)), isQuiet(at.quietSince));
  const [row] = await tx
    .select()
    .from(consult)
    .where(and(eq(consult.agent, agent), gt(consult.expiresAt, new Date(at.counted)), or(eq(consult.state, 'open'), isAbandoned)))
    .orderBy(consult.createdAt, consult.id)
    .limit(1)
    .for('update', { skipLocked: true });
  return row ? toConsult(row) : null;
}

/**
 * The consult that the same question attaches to: still under way, or settled and not yet told. `run`: the consult's run that asks, where it
 * asks within one; an agent asking for itself attaches from any session. Takes a transaction lock, so that two at once make one.
 */
export async function findAskedBefore(
  tx: Queryable,
  by: { readonly asker: string; readonly run: string | null },
  asked: { readonly agent: string; readonly questionDigest: Digest },
): Promise<ConsultRecord | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${by.asker} ${asked.agent} ${asked.questionDigest}`}, 1))`);
  const [row] = await tx
    .select({ consult })
    .from(consult)
    .innerJoin(run, eq(run.id, consult.askerRun))
    .where(
      and(
        eq(consult.asker, by.asker),
        eq(consult.agent, asked.agent),
        eq(consult.questionDigest, asked.questionDigest),
        by.run === null ? isNull(run.parent) : eq(consult.askerRun, by.run),
        or(inArray(consult.state, ['open', 'claimed']), and(eq(consult.state, 'answered'), isNull(consult.deliveredAt))),
      ),
    )
    .orderBy(desc(consult.id))
    .limit(1);
  return row ? toConsult(row.consult) : null;
}

/** Marks that the asker has the answer. Never unset. */
export async function markConsultDelivered(db: Queryable, id: string, at: string): Promise<void> {
  await db
    .update(consult)
    .set({ deliveredAt: new Date(at) })
    .where(and(eq(consult.id, id), isNull(consult.deliveredAt)));
}

const isUnderWay = inArray(consult.state, ['open', 'claimed']);

/** Consults under way: of one asking run, of one asker, or to one agent. */
export async function openConsults(
  db: Queryable,
  of: { readonly askerRun: string } | { readonly asker: string } | { readonly agent: string },
): Promise<number> {
  const which =
    'askerRun' in of ? eq(consult.askerRun, of.askerRun) : 'asker' in of ? eq(consult.asker, of.asker) : eq(consult.agent, of.agent);
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(consult).where(and(isUnderWay, which));
  return row?.count ?? 0;
}

/** The consults under way that started one of these runs. */
export async function lockConsultsOfRuns(tx: Queryable, runIds: readonly string[]): Promise<readonly ConsultRecord[]> {
  if (runIds.length === 0) return [];
  const rows = await tx
    .select()
    .from(consult)
    .where(and(isUnderWay, inArray(consult.run, [...runIds])))
    .orderBy(consult.id)
    .for('update');
  return rows.map(toConsult);
}

/** Which consult started each of these runs. */
export async function consultsOfRuns(db: Queryable, runIds: readonly string[]): Promise<ReadonlyMap<string, ConsultId>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .select({ run: consult.run, id: consult.id })
    .from(consult)
    .where(inArray(consult.run, [...runIds]));
  return new Map(rows.map((row) => [row.run, row.id as ConsultId]));
}

/** The runs of consults under way that an agent takes part in, as asker or as asked. */
export async function runsOfConsultsWith(db: Queryable, agent: string): Promise<readonly RunId[]> {
  const rows = await db
    .select({ run: consult.run })
    .from(consult)
    .where(and(isUnderWay, or(eq(consult.asker, agent), eq(consult.agent, agent))))
    .orderBy(consult.id);
  return rows.map((row) => row.run as RunId);
}

/** Consults under way whose deadline has come. */
export async function findOverdueConsults(db: Queryable, now: string, limit: number): Promise<readonly ConsultId[]> {
  const rows = await db
    .select({ id: consult.id })
    .from(consult)
    .where(and(isUnderWay, lte(consult.expiresAt, new Date(now))))
    .limit(limit);
  return rows.map((row) => row.id as ConsultId);
}

/** Moves the deadlines of everything under way later, its runs included: the time that the host was frozen does not count. */
export async function shiftConsults(db: Queryable, byMs: number): Promise<void> {
  const by = sql`make_interval(secs => ${byMs / 1000})`;
  await db
    .update(consult)
    .set({ expiresAt: sql`${consult.expiresAt} + ${by}` })
    .where(isUnderWay);
  await db
    .update(run)
    .set({ expiresAt: sql`${run.expiresAt} + ${by}` })
    .where(eq(run.status, 'open'));
}
