export { actorOf, type Doer } from './actor.ts';
export { admitAgent, createAgent, listAgents, type NewAgent, suspendAgent } from './agents.ts';
export { type ChangeNotice, TOPIC } from './announce.ts';
export { answerDecision } from './answer-decision.ts';
export { answerDecisions } from './answer-decisions.ts';
export { answerQuestion } from './answer-question.ts';
export { type Ask, askAgent, awaitConsult } from './ask-agent.ts';
export { type Authority, createAuthority, type Freshness } from './authority.ts';
export { awaitDecision } from './await-decision.ts';
export type { CallEnd, HeldDecision, IncomingCall } from './call-end.ts';
export { callTool } from './call-tool.ts';
export type { Caller } from './caller.ts';
export { cancelRun, withdrawConsult } from './cancel-run.ts';
export { type ConsultEnd, expireConsult } from './consult-end.ts';
export {
  issueAgentCredential,
  issueLoginLink,
  issuePrincipalToken,
  listCredentials,
  openSession,
  redeemLogin,
  revokeCredential,
  type Session,
} from './credentials.ts';
export type { EngineConfig, EngineDeps, Log } from './deps.ts';
export { describeMandate, type MandateInForce, type TermInForce } from './describe-mandate.ts';
export { digestOf, mintSecret, sha256 } from './digest.ts';
export { dispatchCall } from './dispatch-call.ts';
export { enterRun } from './enter-run.ts';
export { expireDecision, remindOfDecision } from './expire-decision.ts';
export { extendDecision } from './extend-decision.ts';
export { fileEvidence } from './file-evidence.ts';
export { findFindings } from './find-findings.ts';
export { freezeHost, hostState, thawHost } from './freeze-host.ts';
export { idempotent, type StoredAnswer } from './idempotent.ts';
export { actingName, hasTool, visibleTools } from './judge.ts';
export { listDirectory } from './list-directory.ts';
export { type NextQuestion, nextQuestion } from './next-question.ts';
export { previewMandate } from './preview-mandate.ts';
export { createPrincipal, findPrincipalByName, getMandate, listPrincipals, type NewPrincipal, setMandate } from './principals.ts';
export { queryAudit } from './read-audit.ts';
export { listDecisions, readDecision } from './read-decision.ts';
export { listDecisionRows } from './read-decision-rows.ts';
export { describeRules, describeTool, tryCall } from './read-rules.ts';
export { readStats } from './read-stats.ts';
export { reconcile, relayOutbox } from './reconcile.ts';
export { recordForbidden, recordMalformed, recordRejected } from './record-refused.ts';
export { type RelayedNote, takeNotes } from './relay.ts';
export { type RequestInput, requestDecision } from './request-decision.ts';
export { seedFromConfig } from './seed.ts';
export { syncTools } from './sync-tools.ts';
export type { JsonObject, PinnedTool, ToolChange, UpstreamFailure, UpstreamReply, UpstreamStatus, Upstreams } from './upstreams.ts';
export type { Wait } from './wait-until.ts';
export { withdrawDecision } from './withdraw-decision.ts';
