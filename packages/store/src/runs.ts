import type { ConsultId, RunId, Scope } from '@countersign/contracts';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from './database.ts';
import { run } from './schema/index.ts';

export type RunStatus = 'open' | 'done' | 'cancelled' | 'expired';

export type RunRecord = {
  readonly id: RunId;
  readonly agent: string;
  readonly principal: string;
  readonly parent: RunId | null;
  /** The root's: its principal's own words. A child's: the question of its consult. */
  readonly task: string | null;
  readonly expiresAt: string | null;
};

/**
 * The open run of this origin, made when there is none: one statement, safe for any number of callers at once. A run that ended has given its
 * origin back.
 */
export async function openRun(
  db: Queryable,
  fresh: Omit<RunRecord, 'expiresAt'> & { readonly expiresAt?: string; readonly origin: string; readonly at: string },
): Promise<{ readonly run: RunRecord; readonly isNew: boolean }> {
  const [row] = await rowsOf<Omit<RunRecord, 'expiresAt'> & { is_new: boolean; expires_at: string | Date | null }>(
    db,
    sql`insert into ${run} (id, agent, principal, parent, origin, task, status, created_at, expires_at)
        values (${fresh.id}, ${fresh.agent}, ${fresh.principal}, ${fresh.parent}, ${fresh.origin}, ${fresh.task}, 'open', ${fresh.at}, ${fresh.expiresAt ?? null})
        on conflict (origin) do update set status = ${run}.status
        returning id, agent, principal, parent, task, expires_at, xmax = 0 as is_new`,
  );
  if (!row) throw new Error('A run was neither made nor found.');
  const { is_new: isNew, expires_at: expiresAt, ...record } = row;
  return { run: { ...record, expiresAt: isoFrom(expiresAt) }, isNew };
}

/** One hop of a chain as its rows say it now. */
export type ChainRow = RunRecord & {
  readonly status: RunStatus;
  /** The consult that started this run; null for the root. */
  readonly consult: ConsultId | null;
  /** The credential that the hop above asked with; null where none was recorded. */
  readonly askedWith: {
    readonly scopes: readonly Scope[] | null;
    readonly revokedAt: string | null;
    readonly expiresAt: string | null;
  } | null;
};

/** More than any chain may have: a bound on the walk, not on chains. */
const WALK = 32;

/** A run and all above it, from the root down; empty for an unknown id. */
export async function chainOf(db: Queryable, runId: string): Promise<readonly ChainRow[]> {
  const rows = await rowsOf<{
    id: RunId;
    agent: string;
    principal: string;
    parent: RunId | null;
    task: string | null;
    status: RunStatus;
    expires_at: string | Date | null;
    consult: ConsultId | null;
    credential: string | null;
    scopes: readonly Scope[] | null;
    revoked_at: string | Date | null;
    credential_expires_at: string | Date | null;
  }>(
    db,
    sql`with recursive up as (
          select run.*, 1 as height from run where id = ${runId}
          union all
          select run.*, up.height + 1 from run join up on run.id = up.parent where up.height < ${WALK})
        select up.id, up.agent, up.principal, up.parent, up.task, up.status, up.expires_at, consult.id as consult,
          credential.id as credential, credential.scopes, credential.revoked_at, credential.expires_at as credential_expires_at
        from up left join consult on consult.run = up.id left join credential on credential.id = consult.asked_with
        order by up.height desc`,
  );
  return rows.map((row) => ({
    id: row.id,
    agent: row.agent,
    principal: row.principal,
    parent: row.parent,
    task: row.task,
    status: row.status,
    expiresAt: isoFrom(row.expires_at),
    consult: row.consult,
    askedWith:
      row.credential === null
        ? null
        : { scopes: row.scopes, revokedAt: isoFrom(row.revoked_at), expiresAt: isoFrom(row.credential_expires_at) },
  }));
}

/**
 * Whether a run is open at a moment, with its row locked against ending until the transaction is over: what is raised in a run that is being
 * cancelled is either seen by the cancelling or not raised.
 */
export async function holdRunOpen(tx: Queryable, runId: string, at: string): Promise<boolean> {
  const [row] = await tx.select({ status: run.status, expiresAt: run.expiresAt }).from(run).where(eq(run.id, runId)).for('share');
  return row?.status === 'open' && (row.expiresAt === null || at < row.expiresAt.toISOString());
}

/** The ids of a run and of every run below it, locked until the transaction ends, the run itself first. */
export async function lockTree(tx: Queryable, runId: string): Promise<readonly RunId[]> {
  const rows = await rowsOf<{ id: RunId }>(
    tx,
    sql`with recursive down as (
          select id, 1 as depth from run where id = ${runId}
          union all
          select run.id, down.depth + 1 from run join down on run.parent = down.id where down.depth < ${WALK})
        select run.id from run where id in (select id from down) order by id for update`,
  );
  return rows.map((row) => row.id).sort((a, b) => Number(b === runId) - Number(a === runId));
}

/** Ends those of these runs that are open, and gives their origins back. @returns the ones that it ended. */
export async function endRuns(
  tx: Queryable,
  runIds: readonly string[],
  status: Exclude<RunStatus, 'open'>,
  at: string,
): Promise<readonly Pick<RunRecord, 'id' | 'agent' | 'principal' | 'parent'>[]> {
  if (runIds.length === 0) return [];
  const rows = await tx
    .update(run)
    .set({ status, endedAt: new Date(at), origin: sql`${run.origin} || ' ' || ${run.id}` })
    .where(and(inArray(run.id, [...runIds]), eq(run.status, 'open')))
    .returning({ id: run.id, agent: run.agent, principal: run.principal, parent: run.parent });
  return rows.map((row) => ({ ...row, id: row.id as RunId, parent: row.parent as RunId | null }));
}

/** One run as it stands. */
export async function findRun(db: Queryable, runId: string): Promise<(RunRecord & { readonly status: RunStatus }) | null> {
  const [row] = await db.select().from(run).where(eq(run.id, runId));
  if (!row) return null;
  const { id, agent, principal, parent, task, status, expiresAt } = row;
  return { id: id as RunId, agent, principal, parent: parent as RunId | null, task, status, expiresAt: isoFrom(expiresAt) };
}

/** A time of a hand-written statement: PGlite and postgres.js disagree about its type. */
const isoFrom = (time: string | Date | null): string | null => (time === null ? null : new Date(time).toISOString());
