import type { EvidenceSource } from '@countersign/contracts';
import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** What agents claim to have done, with the artifact that they point to. Only appended; nobody here has looked whether it is so. */
export const evidence = pgTable(
  'evidence',
  {
    id: text().primaryKey(),
    agent: text().notNull(),
    principal: text().notNull(),
    run: text().notNull(),
    decision: text(),
    claim: text().notNull(),
    source: text().$type<EvidenceSource>().notNull(),
    reference: text(),
    at: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [index('evidence_by_decision').on(table.decision), index('evidence_by_run').on(table.run)],
);
