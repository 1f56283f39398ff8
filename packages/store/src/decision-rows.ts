import type { DecisionRowQuery } from '@countersign/contracts';
import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { iso, type Queryable } from './database.ts';
import { afterCursor, cursorOf, type DecisionView, inOrder, matches } from './decision-filter.ts';
import { type DecisionRecord, toState } from './decisions.ts';
import { answer, call, decision } from './schema/index.ts';

/** Arguments up to here are read for the few that a row shows; larger ones stay where they are. */
const READ_BYTES = 16 * 1024;
/** Where counting stops: enough for any list that a person works through, and the bound of what it may cost. */
const COUNTED = 100_000;

/** What a list shows of a decision. Neither context nor result nor large arguments are read for it. */
export type DecisionRowRecord = Pick<
  DecisionRecord,
  'id' | 'kind' | 'tool' | 'title' | 'principal' | 'agent' | 'question' | 'state' | 'createdAt'
> & {
  readonly hops: number;
  readonly why: string;
  readonly rules: readonly string[];
  readonly answeredBy: readonly string[];
  /** Of the arguments as canonical JSON; 0 without a call. */
  readonly argumentBytes: number;
  /** Exact JSON text; null where they are too large, or the title shows values already. */
  readonly args: string | null;
  /** Of a call whose arguments hold what nobody is shown: it may stand in the title. */
  readonly isRedacted: boolean;
  /** The tool that `args` are for, where anything is hidden. */
  readonly subject: string | null;
};

/**
 * The arguments that a row's texts may show, and the tool that they are for: of its call, or of the call that a question is about. Where
 * nothing is hidden they are read for `telling` alone, which a title with values in ‹marks› makes needless.
 */
function shownFrom(hidden: readonly string[]) {
  const hasMarks = sql`position('‹' in ${decision.title}) > 0`;
  const isSmall = (text: SQL | typeof call.args) => sql`octet_length(${text}) <= ${sql.raw(String(READ_BYTES))}`;
  if (hidden.length === 0) {
    const args = sql<string | null>`case when not ${hasMarks} and ${isSmall(call.args)} then ${call.args} end`;
    return { subject: sql<string | null>`null`, args, isRedacted: sql<boolean>`false` };
  }
  const subject = sql<string | null>`coalesce(${decision.tool}, ${decision.request} #>> '{about,tool}')`;
  const text = sql`coalesce(${call.args}, ${decision.request} #>> '{about,arguments}')`;
  const isRedacted = sql<boolean>`coalesce(${inArray(subject, [...hidden])} and ${text} is not null, false)`;
  const args = sql<string | null>`case when (${isRedacted} or not ${hasMarks}) and ${isSmall(text)} then ${text} end`;
  return { subject, args, isRedacted };
}

const columns = (hidden: readonly string[]) => ({
  id: decision.id,
  kind: decision.kind,
  tool: decision.tool,
  title: decision.title,
  principal: decision.principal,
  agent: decision.agent,
  answerBy: decision.answerBy,
  needs: decision.needs,
  shownDigest: decision.shownDigest,
  irreversible: decision.irreversible,
  state: decision.state,
  version: decision.version,
  approvals: decision.approvals,
  settledBy: decision.settledBy,
  settledReason: decision.settledReason,
  expiresAt: decision.expiresAt,
  settledAt: decision.settledAt,
  createdAt: decision.createdAt,
  hops: sql<number>`greatest(jsonb_array_length(${decision.chain}) - 1, 0)`,
  why: sql<string>`coalesce(nullif(${decision.grounds} -> 0 ->> 'when', 'always'), ${decision.grounds} -> 0 ->> 'reason', '')`,
  rules: sql<
    string[]
  >`array(select ground ->> 'rule' from jsonb_array_elements(${decision.grounds}) as ground where ground ? 'rule')`.mapWith(
    decision.answerBy,
  ),
  answeredBy: sql<
    string[]
  >`array(select ${answer.principal} from ${answer} where ${answer.decision} = ${decision.id} order by ${answer.id})`.mapWith(
    decision.answerBy,
  ),
  argumentBytes: sql<number>`coalesce(octet_length(${call.args}), 0)`,
  ...shownFrom(hidden),
});

/**
 * Rows of decisions by filter, in the order of the query, and how many there are in all (counted up to 100,000).
 * @param hidden tools whose arguments hold what nobody is shown: those are read even where the title tells calls apart, and not searched
 */
export async function listDecisionRows(
  db: Queryable,
  view: DecisionView,
  query: DecisionRowQuery,
  hidden: readonly string[] = [],
): Promise<{ readonly items: readonly DecisionRowRecord[]; readonly nextCursor: string | null; readonly total: number }> {
  const all = matches(view, query, hidden);
  // First which ones, so that nothing of the others is put together or sorted.
  const page = db
    .select({ id: decision.id })
    .from(decision)
    .where(and(all, afterCursor(query)))
    .orderBy(...inOrder(query))
    .limit(query.limit + 1)
    .as('page');
  const rows = await db
    .select(columns(hidden))
    .from(page)
    .innerJoin(decision, eq(decision.id, page.id))
    .leftJoin(call, eq(call.id, decision.call))
    .orderBy(...inOrder(query));
  const counted = db
    .select({ one: sql`1`.as('one') })
    .from(decision)
    .where(all)
    .limit(COUNTED)
    .as('counted');
  const [total] = await db.select({ rows: count() }).from(counted);
  const items = rows.slice(0, query.limit).map(toRow);
  const last = items.at(-1);
  const nextCursor = rows.length > query.limit && last ? cursorOf(query, last.state.expiresAt, last.id) : null;
  return { items, nextCursor, total: total?.rows ?? 0 };
}

type Selected = Pick<
  typeof decision.$inferSelect,
  'id' | 'kind' | 'tool' | 'title' | 'principal' | 'agent' | 'answerBy' | 'needs' | 'shownDigest' | 'irreversible' | 'createdAt'
> &
  Parameters<typeof toState>[0] &
  Pick<DecisionRowRecord, 'hops' | 'why' | 'rules' | 'answeredBy' | 'argumentBytes' | 'args' | 'isRedacted' | 'subject'>;

const toRow = (row: Selected): DecisionRowRecord => ({
  id: row.id as DecisionRecord['id'],
  kind: row.kind,
  tool: row.tool,
  title: row.title,
  principal: row.principal,
  agent: row.agent,
  question: {
    answerBy: row.answerBy,
    needs: row.needs,
    shownDigest: row.shownDigest as DecisionRecord['question']['shownDigest'],
    irreversible: row.irreversible,
  },
  state: toState(row),
  createdAt: iso(row.createdAt),
  hops: row.hops,
  why: row.why,
  rules: row.rules,
  answeredBy: row.answeredBy,
  argumentBytes: row.argumentBytes,
  args: row.args,
  isRedacted: row.isRedacted,
  subject: row.subject,
});
