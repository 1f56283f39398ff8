import type { CallId } from '@countersign/contracts';
import { sql } from 'drizzle-orm';
import { type AuditRecord, auditRow } from './audit.ts';
import { type CallRecord, callRow } from './calls.ts';
import { type Queryable, rowsOf } from './database.ts';

/** The hot path's two writes. What they do stands in the migrations, as functions: see there. */

/** A call judged allow, and the event that says so. */
export type Intent = { readonly call: CallRecord; readonly event: AuditRecord };
export type IntentAnswer = { readonly recorded: boolean; readonly authority: number };

const auditJson = (record: AuditRecord): Record<string, unknown> => {
  const { actorKind, actorName, ...rest } = auditRow(record);
  return { ...rest, actor_kind: actorKind, actor_name: actorName };
};

const callJson = (record: CallRecord): Record<string, unknown> => {
  const row = callRow(record);
  return {
    ...row,
    args_digest: row.argsDigest,
    tool_digest: row.toolDigest,
    rules_digest: row.rulesDigest,
    mandate_versions: row.mandateVersions,
    is_idempotent: row.isIdempotent,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
  };
};

/** The call, held or approved, that stands in the way of an identical allowed one, which must not run beside it. */
export async function findApproved(
  db: Queryable,
  call: Pick<CallRecord, 'agent' | 'tool' | 'argsDigest' | 'run' | 'createdAt'>,
): Promise<CallId | null> {
  const [row] = await rowsOf<{ id: CallId | null }>(
    db,
    sql`select approved_twin(${call.agent}, ${call.tool}, ${call.argsDigest}, ${call.run}, ${call.createdAt}) as id`,
  );
  return row?.id ?? null;
}

/**
 * Records calls that need no person (allowed ones, and refused ones, which are finished at once), each with its event, in one statement for
 * all callers of this moment. A call goes in only where the authority that it was judged under is still the current one, and its run is open.
 * An allowed call does not go in while the same one is held, or stands approved and its result was not fetched: it takes the place of the
 * former, and attaches to the latter (`findApproved`).
 * @returns for each: whether it was recorded, and the authority version now.
 */
export async function recordIntents(db: Queryable, intents: readonly Intent[]): Promise<readonly IntentAnswer[]> {
  const calls = JSON.stringify(intents.map((intent) => callJson(intent.call)));
  const events = JSON.stringify(intents.map((intent) => auditJson(intent.event)));
  const rows = await rowsOf<{ id: string | null; authority: string | number }>(
    db,
    sql`select id, authority from record_intents(${calls}, ${events})`,
  );
  const recorded = new Set(rows.map((row) => row.id));
  const authority = Number(rows[0]?.authority);
  return intents.map((intent) => ({ recorded: recorded.has(intent.call.id), authority }));
}

/** How an allowed call ended, and the event that says so. `result` is the exact JSON text of what upstream answered. */
export type CallOutcome = {
  readonly id: string;
  readonly from: number;
  readonly state: 'done' | 'failed' | 'unknown';
  readonly result: string | null;
  readonly reason: string | null;
  readonly at: string;
  readonly event: AuditRecord;
};

/**
 * Records how running calls ended, each with its event, in one statement for all callers of this moment.
 * @returns for each: whether it was still running at that version.
 */
export async function recordOutcomes(db: Queryable, outcomes: readonly CallOutcome[]): Promise<readonly boolean[]> {
  const ends = JSON.stringify(outcomes.map(({ event: _, ...outcome }) => outcome));
  const events = JSON.stringify(outcomes.map((outcome) => auditJson(outcome.event)));
  const rows = await rowsOf<{ id: string }>(db, sql`select id from record_outcomes(${ends}, ${events})`);
  const ended = new Set(rows.map((row) => row.id));
  return outcomes.map((outcome) => ended.has(outcome.id));
}
