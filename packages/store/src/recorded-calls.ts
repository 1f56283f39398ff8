/** Calls as they were recorded, for looking at many of them: no results, and arguments only up to a size. */
import type { CallId, RunId } from '@countersign/contracts';
import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { CallRecord } from './calls.ts';
import { iso, type Queryable } from './database.ts';
import { call } from './schema/index.ts';

/** What arrived with a call and what a principal made of it, as exact JSON texts, and nothing else of it; null where that is too large. */
export type CallArguments = Pick<CallRecord, 'id' | 'tool'> & { readonly texts: readonly string[] | null };

/** The arguments of those of these calls that are of one of these tools, each up to `maxBytes` in all. */
export async function argumentsOf(
  db: Queryable,
  ids: readonly string[],
  tools: readonly string[],
  maxBytes: number,
): Promise<readonly CallArguments[]> {
  if (ids.length === 0 || tools.length === 0) return [];
  const isSmall = sql`octet_length(${call.args}) + coalesce(octet_length(${call.effectiveArgs}), 0) <= ${sql.raw(String(maxBytes))}`;
  const rows = await db
    .select({
      id: call.id,
      tool: call.tool,
      args: sql<string | null>`case when ${isSmall} then ${call.args} end`,
      effectiveArgs: sql<string | null>`case when ${isSmall} then ${call.effectiveArgs} end`,
    })
    .from(call)
    .where(and(inArray(call.id, [...ids]), inArray(call.tool, [...tools])));
  return rows.map(({ id, tool, args, effectiveArgs }) => ({
    id: id as CallId,
    tool,
    texts: args === null ? null : effectiveArgs === null ? [args] : [args, effectiveArgs],
  }));
}

/** A recorded call as it can be judged again; `args` is null where they are larger than what was asked for. */
export type RecordedCall = Pick<CallRecord, 'id' | 'agent' | 'run' | 'tool' | 'createdAt'> & { readonly args: string | null };

/** The calls of a principal's agents since a moment, newest first; `before` is the last one of the page before. */
export async function recordedCalls(
  db: Queryable,
  principal: string,
  {
    since,
    before,
    limit,
    maxBytes,
  }: { readonly since: string; readonly before: string | null; readonly limit: number; readonly maxBytes: number },
): Promise<readonly RecordedCall[]> {
  const args = sql<string | null>`case when octet_length(${call.args}) <= ${sql.raw(String(maxBytes))} then ${call.args} end`;
  const rows = await db
    .select({ id: call.id, agent: call.agent, run: call.run, tool: call.tool, createdAt: call.createdAt, args })
    .from(call)
    .where(and(eq(call.principal, principal), gte(call.createdAt, new Date(since)), before === null ? undefined : lt(call.id, before)))
    .orderBy(desc(call.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, id: row.id as CallId, run: row.run as RunId, createdAt: iso(row.createdAt) }));
}
