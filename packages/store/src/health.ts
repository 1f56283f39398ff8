import { and, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';
import { auditPending, credential } from './schema/index.ts';

/** The principals who can look at their queue at `at`: each holds a session or a token that is good then. */
export async function reachablePrincipals(db: Queryable, at: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectDistinct({ principal: credential.principal })
    .from(credential)
    .where(
      and(
        inArray(credential.kind, ['principal', 'session']),
        isNull(credential.revokedAt),
        or(isNull(credential.expiresAt), gt(credential.expiresAt, new Date(at))),
      ),
    );
  return new Set(rows.map((row) => row.principal));
}

/** Events that are recorded and stand under no checkpoint. */
export async function countUnsealed(db: Queryable): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(auditPending);
  return row?.count ?? 0;
}
