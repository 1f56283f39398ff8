export { Actor, AuditEvent, AuditEventType } from './audit.ts';
export { AuditPage, AuditQuery } from './audit-http.ts';
export { Budget, Config, MandateTerms, RuleConfig, ServerConfig, Term, ToolConfig } from './config.ts';
export { DecisionRow, DecisionRowPage, DecisionRowQuery } from './decision-rows.ts';
export { Duration } from './duration.ts';
export { ErrorCode } from './errors.ts';
export { Evidence, EvidenceInput, EvidenceSource, readReference } from './evidence.ts';
export { Finding, FindingCode, FindingSeverity, HostFindings } from './findings.ts';
export {
  Agent,
  AgentInput,
  AgentPage,
  Answer,
  AnswerInput,
  BulkAnswerInput,
  BulkAnswerReport,
  CallState,
  Credential,
  CredentialInput,
  CredentialPage,
  Decision,
  DecisionKind,
  DecisionPage,
  DecisionQuery,
  DecisionStatus,
  DirectoryEntry,
  ExtendInput,
  FreezeInput,
  Hop,
  HostState,
  IssuedCredential,
  LoginInput,
  LoginLink,
  Mandate,
  MandateInput,
  Me,
  Outcome,
  PageQuery,
  Principal,
  PrincipalInput,
  PrincipalPage,
  Problem,
  page,
  Readiness,
  RelayReceipt,
  ReloadReport,
  RuleRow,
  RuleTable,
  ServerEvent,
  ToolDetail,
  ToolRow,
  TryInput,
  TryReport,
  WithdrawInput,
} from './http.ts';
export {
  AgentId,
  AnswerId,
  CallId,
  ConsultId,
  CredentialId,
  DecisionId,
  Digest,
  EventId,
  EvidenceId,
  ID_PREFIXES,
  type Id,
  type IdPrefix,
  PrincipalId,
  RunId,
  Timestamp,
} from './ids.ts';
export { LANE_CEILING, Lane, OWN_TOOL_SCOPE, type OwnToolName, PRINCIPAL_ONLY_SCOPE, Scope } from './lanes.ts';
export { MandatePreview, MandatePreviewInput } from './mandate-preview.ts';
export { LANE_HEADER, META, OUTCOME_CODES, type OutcomeCode } from './mcp.ts';
export { type Failure, fail, ok, type Result } from './result.ts';
export { Stats, StatsQuery, Tally } from './stats.ts';
export { Effect, Ground, GroundKind } from './verdict.ts';
export { visible, visibleLine } from './visible.ts';
