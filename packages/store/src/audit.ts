import { canonicalize } from '@countersign/audit';
import type { Actor, AuditEvent, AuditEventType, AuditQuery, Id } from '@countersign/contracts';
import { and, asc, desc, eq, gt, gte, ilike, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { iso, type Queryable } from './database.ts';
import { likePattern, visibleTo } from './decision-filter.ts';
import { mintId } from './ids.ts';
import { auditPending, call, decision, run } from './schema/index.ts';

/** One audit event before it has an id and a place. Handles and ids are strings; `at` is ISO 8601 UTC. */
export type AuditRecord = {
  readonly type: AuditEventType;
  readonly at: string;
  readonly actor: Actor;
  readonly principal?: string | null;
  readonly agent?: string | null;
  readonly run?: string | null;
  readonly call?: string | null;
  readonly decision?: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** The row that an event becomes. The payload is stored as the exact text that will be hashed. */
export const auditRow = (record: AuditRecord) => ({
  id: mintId('evt'),
  type: record.type,
  at: new Date(record.at),
  actorKind: record.actor.kind,
  actorName: record.actor.name,
  principal: record.principal ?? null,
  agent: record.agent ?? null,
  run: record.run ?? null,
  call: record.call ?? null,
  decision: record.decision ?? null,
  payload: canonicalize(record.payload),
});

/** Appends events in the caller's transaction: if they can't be written, what they record did not happen. */
export async function appendAudit(db: Queryable, records: readonly AuditRecord[]): Promise<void> {
  if (records.length > 0) await db.insert(auditPending).values(records.map(auditRow));
}

/**
 * Which events a viewer may see: all; those of a principal, and of each decision that it may see with its call; or those of an agent's own
 * chain as far as they are its principal's.
 */
export type AuditView = { readonly principal: string } | { readonly agent: string; readonly principal: string } | 'all';

function mayRead(view: AuditView): SQL | undefined {
  if (view === 'all') return undefined;
  const ofPrincipal = eq(auditPending.principal, view.principal);
  return 'agent' in view
    ? and(ofPrincipal, or(eq(auditPending.agent, view.agent), inChainOf(view.agent)))
    : or(ofPrincipal, ofDecisionOf(view));
}

/** Whoever is asked may read what was asked, answered and done, whoever's agent it was. */
function ofDecisionOf(view: { readonly principal: string }): SQL {
  const isVisible = visibleTo(view);
  return sql`(exists (select 1 from ${decision} where ${decision.id} = ${auditPending.decision} and ${isVisible})
    or exists (select 1 from ${decision} where ${decision.call} = ${auditPending.call} and ${isVisible}))`;
}

/** The runs of an agent, those above and those below them. `union` drops doubles, so the walk ends. */
const inChainOf = (agent: string): SQL =>
  sql`${auditPending.run} in (
    with recursive up as (
        select id, parent from ${run} where agent = ${agent}
        union select r.id, r.parent from ${run} r join up on r.id = up.parent),
      down as (
        select id from ${run} where agent = ${agent}
        union select r.id from ${run} r join down on r.parent = down.id)
    select id from up union select id from down)`;

/**
 * Events by filter, in order of arrival; `nextCursor` is null at the end. `unsearched`: tools whose calls' events hold what nobody is shown:
 * `q` finds those by type alone.
 */
export async function queryAudit(
  db: Queryable,
  view: AuditView,
  query: AuditQuery,
  unsearched: readonly string[] = [],
): Promise<{ readonly items: AuditEvent[]; readonly nextCursor: string | null }> {
  const newest = query.order === 'newest';
  const filters: (SQL | undefined)[] = [
    mayRead(view),
    query.type && inArray(auditPending.type, query.type),
    query.agent ? eq(auditPending.agent, query.agent) : undefined,
    query.principal ? eq(auditPending.principal, query.principal) : undefined,
    query.call ? eq(auditPending.call, query.call) : undefined,
    query.decision ? eq(auditPending.decision, query.decision) : undefined,
    query.run ? eq(auditPending.run, query.run) : undefined,
    query.since ? gte(auditPending.at, new Date(query.since)) : undefined,
    query.until ? lt(auditPending.at, new Date(query.until)) : undefined,
    query.q ? matchesText(query.q, unsearched) : undefined,
    query.cursor ? (newest ? lt : gt)(auditPending.arrival, Number(query.cursor)) : undefined,
  ];
  const rows = await db
    .select()
    .from(auditPending)
    .where(and(...filters))
    .orderBy((newest ? desc : asc)(auditPending.arrival))
    .limit(query.limit + 1);
  const items = rows.slice(0, query.limit).map(toEvent);
  return { items, nextCursor: rows.length > query.limit ? (items.at(-1)?.cursor ?? null) : null };
}

function matchesText(text: string, unsearched: readonly string[]): SQL | undefined {
  const pattern = likePattern(text);
  const inPayload = ilike(auditPending.payload, pattern);
  const isOfSuch = sql`exists (select 1 from ${call} where ${call.id} = ${auditPending.call} and ${inArray(call.tool, [...unsearched])})`;
  return or(ilike(auditPending.type, pattern), unsearched.length > 0 ? and(sql`not ${isOfSuch}`, inPayload) : inPayload);
}

const toEvent = (row: typeof auditPending.$inferSelect): AuditEvent => ({
  cursor: String(row.arrival),
  id: row.id as Id<'evt'>,
  seq: null,
  type: row.type,
  at: iso(row.at),
  actor: { kind: row.actorKind, name: row.actorName },
  principal: row.principal,
  agent: row.agent,
  run: row.run,
  call: row.call,
  decision: row.decision,
  payload: JSON.parse(row.payload) as Record<string, unknown>,
});
