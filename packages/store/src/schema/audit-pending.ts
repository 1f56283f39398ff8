import type { AuditEventType } from '@countersign/contracts';
import { bigint, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Audit events, written in the transaction of what they record. `arrival` has gaps and commits out of order: it pages, it proves nothing. */
export const auditPending = pgTable(
  'audit_pending',
  {
    arrival: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    id: text().notNull().unique(),
    type: text().$type<AuditEventType>().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
    actorKind: text('actor_kind', { enum: ['agent', 'principal', 'operator', 'host', 'anonymous'] }).notNull(),
    actorName: text('actor_name').notNull(),
    principal: text(),
    agent: text(),
    run: text(),
    call: text(),
    decision: text(),
    /** RFC 8785 text of the payload. */
    payload: text().notNull(),
  },
  (table) => [
    index('audit_pending_by_decision').on(table.decision),
    index('audit_pending_by_call').on(table.call),
    index('audit_pending_by_agent').on(table.agent, table.arrival),
    index('audit_pending_by_type').on(table.type, table.arrival),
  ],
);
