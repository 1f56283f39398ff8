import type { Answer, AnswerId, CallId, DecisionId, DecisionKind, DecisionQuery, Digest, Ground, Hop, RunId } from '@countersign/contracts';
import type { DecisionState, Question } from '@countersign/core';
import { and, asc, desc, eq, gt, inArray, lte, ne, or, sql } from 'drizzle-orm';
import { iso, isoOrNull, type Queryable } from './database.ts';
import { afterCursor, cursorOf, type DecisionView, inOrder, matches, visibleTo } from './decision-filter.ts';
import { answer, call, decision } from './schema/index.ts';

/** One decision as it is kept: the question, which never changes, and the state, which does. */
export type DecisionRecord = {
  readonly id: DecisionId;
  readonly kind: DecisionKind;
  readonly call: CallId | null;
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly tool: string | null;
  readonly title: string;
  readonly principal: string;
  readonly agent: string;
  readonly run: RunId;
  readonly chain: readonly Hop[];
  readonly grounds: readonly Ground[];
  readonly context: { readonly seen: Readonly<Record<string, unknown>>; readonly claimed: string | null };
  readonly question: Question;
  readonly state: DecisionState;
  readonly settledReason: string | null;
  readonly supersedes: DecisionId | null;
  readonly supersededBy: DecisionId | null;
  readonly afterRefusalOf: DecisionId | null;
  readonly createdAt: string;
  readonly remindAt: string | null;
};

type DecisionRow = typeof decision.$inferSelect;

/** The columns that a state is read from. */
export type StateColumns = Pick<DecisionRow, 'state' | 'version' | 'expiresAt' | 'settledAt' | 'approvals' | 'settledBy' | 'settledReason'>;

export function toState(row: StateColumns): DecisionState {
  const common = { version: row.version, expiresAt: iso(row.expiresAt) };
  const settledAt = isoOrNull(row.settledAt) ?? common.expiresAt;
  switch (row.state) {
    case 'pending':
      return { ...common, state: 'pending', approvals: row.approvals };
    case 'approved':
      return { ...common, state: 'approved', approvals: row.approvals, settledAt };
    case 'refused':
      return { ...common, state: 'refused', by: row.settledBy ?? '', settledAt };
    case 'expired':
      return { ...common, state: 'expired', settledAt };
    case 'withdrawn':
      return { ...common, state: 'withdrawn', by: row.settledBy ?? '', reason: row.settledReason ?? '', settledAt };
    default:
      return row.state satisfies never;
  }
}

const toDecision = (row: DecisionRow): DecisionRecord => ({
  id: row.id as DecisionId,
  kind: row.kind,
  call: row.call as CallId | null,
  request: row.request,
  tool: row.tool,
  title: row.title,
  principal: row.principal,
  agent: row.agent,
  run: row.run as RunId,
  chain: row.chain,
  grounds: row.grounds,
  context: row.context,
  question: { answerBy: row.answerBy, needs: row.needs, shownDigest: row.shownDigest as Digest, irreversible: row.irreversible },
  state: toState(row),
  settledReason: row.settledReason,
  supersedes: row.supersedes as DecisionId | null,
  supersededBy: row.supersededBy as DecisionId | null,
  afterRefusalOf: row.afterRefusalOf as DecisionId | null,
  createdAt: iso(row.createdAt),
  remindAt: isoOrNull(row.remindAt),
});

const stateColumns = (state: DecisionState) => ({
  state: state.state,
  version: state.version,
  expiresAt: new Date(state.expiresAt),
  ...(state.state === 'pending' || state.state === 'approved' ? { approvals: state.approvals } : {}),
  ...(state.state === 'pending' ? {} : { settledAt: new Date(state.settledAt) }),
  ...(state.state === 'refused' || state.state === 'withdrawn' ? { settledBy: state.by } : {}),
  ...(state.state === 'withdrawn' ? { settledReason: state.reason } : {}),
});

export async function insertDecisions(db: Queryable, records: readonly DecisionRecord[]): Promise<void> {
  if (records.length === 0) return;
  await db.insert(decision).values(
    records.map((record) => ({
      ...record,
      ...record.question,
      answerBy: [...record.question.answerBy],
      approvals: [],
      ...stateColumns(record.state),
      createdAt: new Date(record.createdAt),
      remindAt: record.remindAt ? new Date(record.remindAt) : null,
    })),
  );
}

export async function findDecision(db: Queryable, id: string): Promise<DecisionRecord | null> {
  const [row] = await db.select().from(decision).where(eq(decision.id, id));
  return row ? toDecision(row) : null;
}

/** All decisions of one call, oldest first. */
export async function decisionsOfCall(db: Queryable, callId: string): Promise<readonly DecisionRecord[]> {
  const rows = await db.select().from(decision).where(eq(decision.call, callId)).orderBy(asc(decision.id));
  return rows.map(toDecision);
}

/** All decisions that were raised in one run, oldest first. */
export async function decisionsInRun(db: Queryable, runId: string): Promise<readonly DecisionRecord[]> {
  const rows = await db.select().from(decision).where(eq(decision.run, runId)).orderBy(asc(decision.id));
  return rows.map(toDecision);
}

/** Pending questions of these runs. One about an unknown outcome is not among them: that a call may have run is so whoever still cares. */
export async function pendingInRuns(db: Queryable, runIds: readonly string[]): Promise<readonly DecisionRecord[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .select()
    .from(decision)
    .where(and(inArray(decision.run, [...runIds]), eq(decision.state, 'pending'), ne(decision.kind, 'outcome')));
  return rows.map(toDecision);
}

/** Applies a transition by compare-and-set on the version and on `pending`. @returns false when somebody else was first. */
export async function applyDecision(db: Queryable, id: string, from: number, next: DecisionState): Promise<boolean> {
  const rows = await db
    .update(decision)
    .set(stateColumns(next))
    .where(and(eq(decision.id, id), eq(decision.version, from), eq(decision.state, 'pending')))
    .returning({ id: decision.id });
  return rows.length === 1;
}

/** Links a settled decision to the one that took its place. */
export async function markSuperseded(db: Queryable, ids: readonly string[], by: DecisionId): Promise<void> {
  if (ids.length > 0)
    await db
      .update(decision)
      .set({ supersededBy: by })
      .where(inArray(decision.id, [...ids]));
}

export type AnswerRecord = Omit<Answer, 'editedArgs'> & {
  readonly decision: DecisionId;
  readonly editedArgs: string | null;
  /** The call is to become a term of the answering principal once it has succeeded. */
  readonly remember: { readonly expiresAt: string; readonly uses: number | null } | null;
};

export async function insertAnswer(db: Queryable, record: AnswerRecord): Promise<void> {
  await db.insert(answer).values({ ...record, at: new Date(record.at) });
}

export async function answersOf(db: Queryable, decisionIds: readonly string[]): Promise<readonly AnswerRecord[]> {
  if (decisionIds.length === 0) return [];
  const rows = await db
    .select()
    .from(answer)
    .where(inArray(answer.decision, [...decisionIds]))
    .orderBy(asc(answer.id));
  return rows.map((row) => ({
    ...row,
    id: row.id as AnswerId,
    decision: row.decision as DecisionId,
    shownDigest: row.shownDigest as Digest,
    at: iso(row.at),
  }));
}

export async function findVisibleDecision(db: Queryable, view: DecisionView, id: string): Promise<DecisionRecord | null> {
  const [row] = await db
    .select()
    .from(decision)
    .where(and(eq(decision.id, id), visibleTo(view)));
  return row ? toDecision(row) : null;
}

/** Decisions by filter. By age: newest first; by deadline: the soonest first. `unsearched`: tools whose arguments and titles `q` is not looked for in. */
export async function listDecisions(
  db: Queryable,
  view: DecisionView,
  query: DecisionQuery,
  unsearched: readonly string[] = [],
): Promise<{ readonly items: readonly DecisionRecord[]; readonly nextCursor: string | null }> {
  const rows = await db
    .select()
    .from(decision)
    .where(and(matches(view, query, unsearched), afterCursor(query)))
    .orderBy(...inOrder(query))
    .limit(query.limit + 1);
  const items = rows.slice(0, query.limit).map(toDecision);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > query.limit && last ? cursorOf(query, last.state.expiresAt, last.id) : null };
}

/** Pending decisions whose deadline or reminder has come. */
export async function findDue(
  db: Queryable,
  now: string,
  limit: number,
): Promise<{ readonly overdue: readonly DecisionId[]; readonly toRemind: readonly DecisionId[] }> {
  const at = new Date(now);
  const pending = eq(decision.state, 'pending');
  const overdue = await db
    .select({ id: decision.id })
    .from(decision)
    .where(and(pending, lte(decision.expiresAt, at)))
    .limit(limit);
  const toRemind = await db
    .select({ id: decision.id })
    .from(decision)
    .where(and(pending, lte(decision.remindAt, at)))
    .limit(limit);
  return { overdue: overdue.map((row) => row.id as DecisionId), toRemind: toRemind.map((row) => row.id as DecisionId) };
}

/** Clears a reminder that is due, once. @returns false when another worker did. */
export async function takeReminder(db: Queryable, id: string, now: string): Promise<boolean> {
  const rows = await db
    .update(decision)
    .set({ remindAt: null })
    .where(and(eq(decision.id, id), eq(decision.state, 'pending'), lte(decision.remindAt, new Date(now))))
    .returning({ id: decision.id });
  return rows.length === 1;
}

/**
 * Moves deadlines and reminders later, because the time that the host was frozen does not count: those of questions that are open, and those of
 * approvals whose call could not be dispatched meanwhile or waits for somebody else's answer.
 */
export async function shiftDeadlines(db: Queryable, byMs: number): Promise<void> {
  const by = sql`make_interval(secs => ${byMs / 1000})`;
  const isUndispatched = sql`exists (select 1 from ${call} where ${call.id} = ${decision.call} and ${call.state} in ('held', 'queued'))`;
  await db
    .update(decision)
    .set({ expiresAt: sql`${decision.expiresAt} + ${by}`, remindAt: sql`${decision.remindAt} + ${by}` })
    .where(or(eq(decision.state, 'pending'), and(eq(decision.state, 'approved'), isUndispatched)));
}

export async function countPending(db: Queryable, agent: string): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(decision)
    .where(and(eq(decision.agent, agent), eq(decision.state, 'pending')));
  return row?.count ?? 0;
}

/** Pending decisions on a tool, or on the calls of an agent: what a quarantine or a suspension takes back. */
export async function pendingOn(
  db: Queryable,
  subject: { readonly tool: string } | { readonly agent: string },
): Promise<readonly DecisionRecord[]> {
  const which = 'tool' in subject ? and(eq(decision.tool, subject.tool), ne(decision.kind, 'tool')) : eq(decision.agent, subject.agent);
  const rows = await db
    .select()
    .from(decision)
    .where(and(eq(decision.state, 'pending'), which));
  return rows.map(toDecision);
}

/** A "no" of a principal to these agents' calls of one tool: the same digest, or another. Newest first. */
export type EarlierRefusal = {
  readonly decision: DecisionId;
  readonly argsDigest: Digest;
  readonly rules: readonly string[];
  readonly note: string | null;
  readonly by: string;
  readonly at: string;
};

export async function earlierRefusals(
  db: Queryable,
  agents: readonly string[],
  tool: string,
  since: string,
): Promise<readonly EarlierRefusal[]> {
  const rows = await db
    .select({
      decision: decision.id,
      argsDigest: call.argsDigest,
      grounds: decision.grounds,
      note: answer.note,
      by: answer.principal,
      at: answer.at,
    })
    .from(decision)
    .innerJoin(call, eq(call.id, decision.call))
    .innerJoin(answer, and(eq(answer.decision, decision.id), eq(answer.effect, 'refuse')))
    .where(
      and(
        inArray(decision.agent, [...agents]),
        eq(decision.tool, tool),
        // That a call is not sent a second time says nothing about the first.
        eq(decision.kind, 'call'),
        eq(decision.state, 'refused'),
        gt(answer.at, new Date(since)),
      ),
    )
    .orderBy(desc(answer.at))
    .limit(50);
  return rows.map((row) => ({
    decision: row.decision as DecisionId,
    argsDigest: row.argsDigest as Digest,
    rules: row.grounds.flatMap((ground) => (ground.rule ? [ground.rule] : [])),
    note: row.note,
    by: row.by,
    at: iso(row.at),
  }));
}

/** The last question about a tool's changed definition, whatever became of it. */
export async function latestToolDecision(db: Queryable, tool: string): Promise<DecisionRecord | null> {
  const [row] = await db
    .select()
    .from(decision)
    .where(and(eq(decision.kind, 'tool'), eq(decision.tool, tool)))
    .orderBy(desc(decision.id))
    .limit(1);
  return row ? toDecision(row) : null;
}

/** Open questions about a tool's changed definition. */
export async function pendingToolDecisions(db: Queryable, tool: string): Promise<readonly DecisionRecord[]> {
  const rows = await db
    .select()
    .from(decision)
    .where(and(eq(decision.state, 'pending'), eq(decision.kind, 'tool'), eq(decision.tool, tool)));
  return rows.map(toDecision);
}

/** A question of an agent that has no call: open, or refused since a moment, with the "no" and its note. */
export type EarlierRequest = {
  readonly decision: DecisionRecord;
  readonly no: { readonly by: string; readonly note: string | null; readonly at: string } | null;
};

/**
 * What this agent has asked without a call: open questions and those refused since then, newest first. Takes a transaction lock on the
 * agent's questions, so that the same one asked twice at once makes one decision.
 */
export async function lockRequests(tx: Queryable, agent: string, since: string): Promise<readonly EarlierRequest[]> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`request ${agent}`}, 0))`);
  const rows = await tx
    .select({ decision, note: answer.note, by: answer.principal, at: answer.at })
    .from(decision)
    .leftJoin(answer, and(eq(answer.decision, decision.id), eq(answer.effect, 'refuse')))
    .where(
      and(
        eq(decision.agent, agent),
        eq(decision.kind, 'request'),
        or(eq(decision.state, 'pending'), and(eq(decision.state, 'refused'), gt(answer.at, new Date(since)))),
      ),
    )
    .orderBy(desc(decision.id));
  return rows.map((row) => ({
    decision: toDecision(row.decision),
    no: row.by !== null && row.at ? { by: row.by, note: row.note, at: iso(row.at) } : null,
  }));
}
