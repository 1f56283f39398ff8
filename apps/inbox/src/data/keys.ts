import type { AuditQuery, DecisionRowQuery } from '@countersign/contracts';

/** Which decisions are listed: the filters of the URL, without paging. */
export type DecisionFilters = Omit<Partial<DecisionRowQuery>, 'limit' | 'cursor'> & Pick<DecisionRowQuery, 'sort'>;
export type AuditFilters = Omit<Partial<AuditQuery>, 'limit' | 'cursor'>;

/** Names of everything in the query cache. */
export const keys = {
  me: ['me'],
  host: ['host'],
  decisionLists: ['decisions', 'list'],
  decisionList: (filters: DecisionFilters) => ['decisions', 'list', filters],
  decisionCounts: ['decisions', 'count'],
  decisionCount: (filters: DecisionFilters) => ['decisions', 'count', filters],
  decision: (id: string) => ['decisions', 'one', id],
  allDecisions: ['decisions'],
  timeline: (id: string) => ['timeline', id],
  timelines: ['timeline'],
  history: (id: string) => ['history', id],
  histories: ['history'],
  audit: (filters: AuditFilters) => ['audit', 'log', filters],
  auditTails: ['audit', 'tail'],
  auditTail: (filters: AuditFilters) => ['audit', 'tail', filters],
  auditEvent: (cursor: string) => ['audit', 'event', cursor],
  rules: ['rules'],
  tool: (tool: string) => ['rules', 'tool', tool],
  stats: (days: number) => ['stats', days],
  allStats: ['stats'],
  mandate: ['mandate'],
  agents: ['agents'],
  credentials: (agent: string) => ['agents', agent, 'credentials'],
} as const;
