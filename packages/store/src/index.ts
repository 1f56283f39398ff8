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
  markRefusalsDelivered,
  openCallsOf,
} from './calls.ts';
export {
  applyConsult,
  type ConsultRecord,
  consultsOfRuns,
  findAskedBefore,
  findConsult,
  findConsultByToken,
  findOverdueConsults,
  insertConsult,
  lockConsult,
  lockConsultsOfRuns,
  lockNextQuestion,
  markConsultDelivered,
  openConsults,
  renewClaim,
  runsOfConsultsWith,
  shiftConsults,
} from './consults.ts';
export type { Database, Queryable, Transaction } from './database.ts';
export type { DecisionView } from './decision-filter.ts';
export { type DecisionRowRecord, listDecisionRows } from './decision-rows.ts';
export {
  type AnswerRecord,
  answersOf,
  applyDecision,
  countPending,
  type DecisionRecord,
  decisionsInRun,
  decisionsOfCall,
  type EarlierRefusal,
  type EarlierRequest,
  earlierRefusals,
  findDecision,
  findDue,
  findVisibleDecision,
  insertAnswer,
  insertDecisions,
  latestToolDecision,
  listDecisions,
  lockRequests,
  markSuperseded,
  pendingInRuns,
  pendingOn,
  pendingToolDecisions,
  shiftDeadlines,
  takeReminder,
} from './decisions.ts';
export { DataLockedError } from './directory-lock.ts';
export { type EmbeddedStore, openEmbeddedStore, truncateAll } from './embedded.ts';
export { countEvidence, type EvidenceRecord, evidenceOf, insertEvidence } from './evidence.ts';
export type { GroupCommitOptions } from './group-commit.ts';
export { groupCommit } from './group-commit.ts';
export { countUnsealed, reachablePrincipals } from './health.ts';
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
export { type CallOutcome, findApproved, type Intent, type IntentAnswer } from './intents.ts';
export { hasNotes, insertNotes, type NoteRecord, notesAbout, notesOfConsult, takeNotes } from './notes.ts';
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
export { type OpenPgliteOptions, openPglite } from './pglite.ts';
export type { PgliteSession, PgliteTransaction, SharedPglite } from './pglite-session.ts';
export { cachedSnapshot } from './pglite-snapshot.ts';
export {
  appendMandate,
  findMandate,
  findPrincipal,
  insertPrincipal,
  listPrincipals,
  type MandateRecord,
  type PrincipalRecord,
} from './principals.ts';
export { argumentsOf, type CallArguments, type RecordedCall, recordedCalls } from './recorded-calls.ts';
export {
  type ChainRow,
  chainOf,
  endRuns,
  findRun,
  holdRunOpen,
  lockTree,
  openRun,
  type RunRecord,
  type RunStatus,
} from './runs.ts';
export { statsOf } from './stats.ts';
export { MIGRATIONS, openStore, type Store } from './store.ts';
export { dropUsesExcept, type LimitedTerm, lockAuthority, takeUses, usesOf } from './term-uses.ts';
