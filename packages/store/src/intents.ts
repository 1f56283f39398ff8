import type { CallId } from '@countersign/contracts';
import { type SQL, sql } from 'drizzle-orm';
import { type AuditRecord, auditRow } from './audit.ts';
import { type CallRecord, callRow } from './calls.ts';
import { type Queryable, rowsOf } from './database.ts';

/** A call judged allow, and the event that says so. */
export type Intent = { readonly call: CallRecord; readonly event: AuditRecord };
export type IntentAnswer = { readonly recorded: boolean; readonly authority: number };

const AUDIT_COLUMNS = sql.raw('id, type, at, actor_kind, actor_name, principal, agent, run, call, decision, payload');
const AUDIT_RECORD = sql.raw(
  'id text, type text, at timestamptz, actor_kind text, actor_name text, principal text, agent text, run text, call text, decision text, payload text',
);
const CALL_COLUMNS = sql.raw(
  `id, agent, principal, run, tool, args, args_digest, tool_digest, rules_digest, authority, mandate_versions, effect, grounds, claimed, state,
   version, attempt, is_idempotent, created_at, cause, reason, finished_at`,
);
const CALL_RECORD = sql.raw(
  `id text, agent text, principal text, run text, tool text, args text, args_digest text, tool_digest text, rules_digest text, authority bigint,
   mandate_versions jsonb, effect text, grounds jsonb, claimed text, state text, version int, attempt int, is_idempotent boolean, created_at timestamptz,
   cause text, reason text, finished_at timestamptz`,
);

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

/** How long an approved call's result waits for an agent that calls again instead of fetching it; later, the call is a new one. */
const FETCHED_WITHIN = sql.raw(`interval '1 day'`);

/**
 * `from` and `where` of the approved calls that are the same as `fresh` and whose outcome their agent does not have yet. What was asked in a
 * consult's run serves that run alone; for agents acting for themselves, any session.
 */
const approvedTwinOf = (fresh: SQL): SQL =>
  sql`call as twin join run as twin_run on twin_run.id = twin.run
    where twin.agent = ${fresh}.agent and twin.tool = ${fresh}.tool and twin.args_digest = ${fresh}.args_digest
      and twin.effect = 'ask' and twin.delivered_at is null and twin.state in ('queued', 'executing', 'done', 'failed', 'unknown')
      and (twin.finished_at is null or twin.finished_at > ${fresh}.created_at - ${FETCHED_WITHIN})
      and (twin.run = ${fresh}.run or (twin_run.parent is null and (select parent from run where id = ${fresh}.run) is null))`;

/** The approved call that an identical allowed one attaches to instead of running a second time. */
export async function findApproved(
  db: Queryable,
  call: Pick<CallRecord, 'agent' | 'tool' | 'argsDigest' | 'run' | 'createdAt'>,
): Promise<CallId | null> {
  const fresh = sql`(values (${call.agent}, ${call.tool}, ${call.argsDigest}, ${call.run}, ${call.createdAt}::timestamptz)) as fresh(agent, tool, args_digest, run, created_at)`;
  const [row] = await rowsOf<{ id: CallId }>(
    db,
    sql`select twin.id from ${fresh} cross join lateral (select twin.id from ${approvedTwinOf(sql.raw('fresh'))} order by twin.id desc limit 1) as twin`,
  );
  return row?.id ?? null;
}

/**
 * Records calls that need no person (allowed ones, and refused ones, which are finished at once), each with its event, in one statement for
 * all callers of this moment. A call goes in only where the authority that it was judged under is still the current one, and its run is open.
 * An allowed call does not go in while the same one stands approved and its result was not fetched: it attaches to that (`findApproved`).
 * @returns for each: whether it was recorded, and the authority version now.
 */
export async function recordIntents(db: Queryable, intents: readonly Intent[]): Promise<readonly IntentAnswer[]> {
  const calls = JSON.stringify(intents.map((intent) => callJson(intent.call)));
  const events = JSON.stringify(intents.map((intent) => auditJson(intent.event)));
  const rows = await rowsOf<{ id: string | null; authority: string | number }>(
    db,
    sql`with now_host as (select authority from host),
      admitted as (
        insert into call (${CALL_COLUMNS})
        select ${CALL_COLUMNS} from json_to_recordset(${calls}::json) as fresh(${CALL_RECORD})
        where fresh.authority = (select authority from now_host)
          and exists (select 1 from run where run.id = fresh.run and run.status = 'open' and (run.expires_at is null or run.expires_at > fresh.created_at))
          and (fresh.effect <> 'allow' or not exists (select 1 from ${approvedTwinOf(sql.raw('fresh'))}))
        returning id),
      logged as (
        insert into audit_pending (${AUDIT_COLUMNS})
        select ${AUDIT_COLUMNS} from json_to_recordset(${events}::json) as event(${AUDIT_RECORD})
        where event.call in (select id from admitted))
      select admitted.id as id, now_host.authority as authority from now_host left join admitted on true`,
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
  const rows = await rowsOf<{ id: string }>(
    db,
    sql`with ended as (
        update call set state = fresh.state, version = call.version + 1, result = fresh.result, reason = fresh.reason, finished_at = fresh.at, delivered_at = fresh.at
        from json_to_recordset(${ends}::json) as fresh(id text, "from" int, state text, result text, reason text, at timestamptz)
        where call.id = fresh.id and call.version = fresh."from" and call.state = 'running'
        returning call.id),
      logged as (
        insert into audit_pending (${AUDIT_COLUMNS})
        select ${AUDIT_COLUMNS} from json_to_recordset(${events}::json) as event(${AUDIT_RECORD})
        where event.call in (select id from ended))
      select id from ended`,
  );
  const ended = new Set(rows.map((row) => row.id));
  return outcomes.map((outcome) => ended.has(outcome.id));
}
