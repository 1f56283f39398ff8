export {
  type AgentRecord,
  type CredentialRecord,
  findAgent,
  findCredential,
  findCredentialById,
  insertAgent,
  insertCredential,
  listAgents,
  listCredentials,
  revokeCredential,
  setAgentStatus,
  touchCredential,
} from './agents.ts';
export { type AuditRecord, type AuditView, appendAudit, queryAudit } from './audit.ts';
export {
  applyCall,
  type CallChanges,
  type CallRecord,
  countCalls,
  findAttachable,
  findCall,
  findCalls,
  findStranded,
  heartbeat,
  insertCall,
  lastCalls,
  lockCall,
  markCall,
  openRun,
  type RunRecord,
} from './calls.ts';
export type { Database, Queryable, Transaction } from './database.ts';
export {
  type AnswerRecord,
  answersOf,
  applyDecision,
  countPending,
  type DecisionRecord,
  type DecisionView,
  decisionsOfCall,
  type EarlierRefusal,
  earlierRefusals,
  findDecision,
  findDue,
  findVisibleDecision,
  insertAnswer,
  insertDecisions,
  listDecisions,
  markSuperseded,
  pendingOn,
  pendingToolDecisions,
  shiftDeadlines,
  takeReminder,
} from './decisions.ts';
export { countEvidence, type EvidenceRecord, evidenceOf, insertEvidence } from './evidence.ts';
export type { GroupCommitOptions } from './group-commit.ts';
export {
  bumpAuthority,
  clearFrozen,
  type HostRecord,
  listTools,
  readHost,
  saveTool,
  setFrozen,
  setSeeded,
  type ToolRecord,
} from './host.ts';
export { mintId } from './ids.ts';
export type { CallOutcome, Intent, IntentAnswer } from './intents.ts';
export {
  countOutbox,
  dropOutbox,
  dueOutbox,
  findIdempotent,
  handedOver,
  type IdempotencyRecord,
  insertIdempotent,
  type OutboxJob,
  type OutboxRecord,
  pruneIdempotent,
  putOutbox,
} from './outbox.ts';
export {
  appendMandate,
  findMandate,
  findPrincipal,
  insertPrincipal,
  listPrincipals,
  type MandateRecord,
  type PrincipalRecord,
} from './principals.ts';
export { MIGRATIONS, openStore, type Store } from './store.ts';
export { dropUsesExcept, type LimitedTerm, lockAuthority, takeUses, usesOf } from './term-uses.ts';
export { type EmbeddedStore, openEmbeddedStore, truncateAll } from './embedded.ts';
export { groupCommit } from './group-commit.ts';
export { DataLockedError } from './directory-lock.ts';
export { type OpenPgliteOptions, openPglite } from './pglite.ts';
export type { PgliteSession, PgliteTransaction, SharedPglite } from './pglite-session.ts';
export { cachedSnapshot } from './pglite-snapshot.ts';
