/** Which decisions a query means, and in which order: the same for whole records and for rows. */
import type { DecisionQuery } from '@countersign/contracts';
import { and, arrayContains, asc, desc, eq, gt, gte, ilike, inArray, lt, notInArray, or, type SQL, sql } from 'drizzle-orm';
import { call, decision } from './schema/index.ts';

/** Which decisions a viewer may see. A principal: those that it may answer and those of its agents. */
export type DecisionView = { readonly principal: string } | { readonly agent: string };

export const visibleTo = (view: DecisionView): SQL | undefined =>
  'agent' in view
    ? eq(decision.agent, view.agent)
    : or(arrayContains(decision.answerBy, [view.principal]), eq(decision.principal, view.principal));

type Filter = Omit<DecisionQuery, 'limit'> & { readonly since?: string | undefined; readonly until?: string | undefined };

/**
 * What a viewer may see of what a query asks for, page aside. `unsearched`: tools whose arguments and titles hold what nobody is shown: `q`
 * finds their decisions by tool, agent and id alone, or it would tell what is hidden letter by letter.
 */
export const matches = (view: DecisionView, query: Filter, unsearched: readonly string[]): SQL | undefined =>
  and(
    visibleTo(view),
    query.state && inArray(decision.state, query.state),
    query.kind && inArray(decision.kind, query.kind),
    query.agent ? eq(decision.agent, query.agent) : undefined,
    query.tool ? eq(decision.tool, query.tool) : undefined,
    query.rule ? sql`${decision.grounds} @> ${JSON.stringify([{ rule: query.rule }])}::jsonb` : undefined,
    query.since ? gte(decision.createdAt, new Date(query.since)) : undefined,
    query.until ? lt(decision.createdAt, new Date(query.until)) : undefined,
    query.q ? matchesText(query.q, unsearched) : undefined,
  );

function matchesText(text: string, unsearched: readonly string[]): SQL | undefined {
  const pattern = likePattern(text);
  const inArguments = sql`exists (select 1 from ${call} where ${call.id} = ${decision.call} and ${call.args} ilike ${pattern})`;
  const inText = or(ilike(decision.title, pattern), inArguments);
  const mayLook = unsearched.length > 0 ? sql`coalesce(${notInArray(decision.tool, [...unsearched])}, true)` : undefined;
  return or(ilike(decision.agent, pattern), ilike(decision.tool, pattern), eq(decision.id, text), and(mayLook, inText));
}

/** A literal substring as an ILIKE pattern. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;

type Paged = Pick<DecisionQuery, 'sort' | 'cursor'>;

/** By age: newest first; by deadline: the soonest first. */
export const inOrder = ({ sort }: Paged): SQL[] =>
  sort === 'deadline' ? [asc(decision.expiresAt), asc(decision.id)] : [desc(decision.id)];

export const cursorOf = ({ sort }: Paged, expiresAt: string, id: string): string => (sort === 'deadline' ? `${expiresAt} ${id}` : id);

/** What comes after the page that gave this cursor; nothing after one that is not ours. */
export function afterCursor({ sort, cursor }: Paged): SQL | undefined {
  if (cursor === undefined) return undefined;
  if (sort !== 'deadline') return lt(decision.id, cursor);
  const [expiresAt = '', id = ''] = cursor.split(' ');
  const at = new Date(expiresAt);
  if (!/^\d{4}-/.test(expiresAt) || Number.isNaN(at.getTime())) return sql`false`;
  return or(gt(decision.expiresAt, at), and(eq(decision.expiresAt, at), gt(decision.id, id)));
}
