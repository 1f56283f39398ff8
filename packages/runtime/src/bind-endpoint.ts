/** The gate as the agents' endpoint asks for it. Nothing is decided here. */
import type { AuditQuery, DecisionQuery, EvidenceInput, Failure, MandateTerms } from '@countersign/contracts';
import {
  awaitDecision,
  type Caller,
  callTool,
  describeMandate,
  describeRules,
  type EngineDeps,
  fileEvidence,
  type IncomingCall,
  listDecisions,
  listDirectory,
  type PinnedTool,
  queryAudit,
  type RequestInput,
  readDecision,
  recordMalformed,
  requestDecision,
  setMandate,
  visibleTools,
  withdrawDecision,
} from '@countersign/engine';
import type { EndpointDeps } from '@countersign/mcp';

export const bindEndpoint = (deps: EngineDeps, version: string): EndpointDeps => ({
  get publicUrl() {
    return deps.config().publicUrl;
  },
  version,
  resolveCaller: (secret, freshness) => deps.authority.resolve(secret, freshness),
  callTool: (caller: Caller, call: IncomingCall) => callTool(deps, caller, call),
  awaitDecision: (caller, id, options) => awaitDecision(deps, caller, id, options),
  getDecision: (caller, id) => readDecision(deps, caller, id),
  listDecisions: (caller, query: DecisionQuery) => listDecisions(deps, caller, query),
  withdrawDecision: (caller, id, reason) => withdrawDecision(deps, caller, id, reason),
  requestDecision: (caller, input: RequestInput) => requestDecision(deps, caller, input),
  fileEvidence: (caller, input: EvidenceInput & { readonly origin: string }) => fileEvidence(deps, caller, input),
  listAgents: () => listDirectory(deps),
  describeRules: () => describeRules(deps),
  describeMandate: (caller) => describeMandate(deps, caller),
  setMandate: (caller, terms: MandateTerms, ifMatch) => setMandate(deps, caller, terms, ifMatch),
  queryAudit: (caller, query: AuditQuery) => queryAudit(deps, { caller }, query),
  visibleTools: (caller): readonly PinnedTool[] => visibleTools(deps, caller),
  recordMalformed: (caller, failure: Failure) => recordMalformed(deps, caller, failure),
  bounds: { maxBytes: deps.config().limits.call_bytes },
  log: deps.log,
  now: () => Date.now(),
});
