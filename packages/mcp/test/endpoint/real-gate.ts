import {
  answerQuestion,
  askAgent,
  awaitConsult,
  awaitDecision,
  callTool,
  describeMandate,
  describeRules,
  enterRun,
  fileEvidence,
  listDecisions,
  listDirectory,
  nextQuestion,
  queryAudit,
  readDecision,
  recordMalformed,
  recordRejected,
  requestDecision,
  setMandate,
  takeNotes,
  visibleTools,
  withdrawConsult,
  withdrawDecision,
} from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import type { EndpointDeps } from '../../src/endpoint/endpoint-deps.ts';

/** The real engine behind the endpoint, with short budgets. */
export function gateOf({ deps }: TestHost): EndpointDeps {
  return {
    publicUrl: 'http://127.0.0.1:7420',
    version: '0.1.0',
    resolveCaller: async (secret, freshness) => {
      const caller = await deps.authority.resolve(secret, freshness);
      // Short budgets, as a credential may carry its own.
      return caller.ok ? { ok: true, value: { ...caller.value, hold: { waitMs: 50, waitWithProgressMs: 5000 } } } : caller;
    },
    callTool: (caller, call) => callTool(deps, caller, call),
    awaitDecision: (caller, id, options) => awaitDecision(deps, caller, id, options),
    getDecision: (caller, id) => readDecision(deps, caller, id),
    listDecisions: (caller, query) => listDecisions(deps, caller, query),
    withdrawDecision: (caller, id, reason) => withdrawDecision(deps, caller, id, reason),
    requestDecision: (caller, input) => requestDecision(deps, caller, input),
    fileEvidence: (caller, input) => fileEvidence(deps, caller, input),
    enterRun: (caller, runToken) => enterRun(deps, caller, runToken),
    askAgent: (caller, ask, wait) => askAgent(deps, caller, ask, wait),
    awaitConsult: (caller, consult, wait) => awaitConsult(deps, caller, consult, wait),
    withdrawConsult: (caller, consult, reason) => withdrawConsult(deps, caller, consult, reason),
    nextQuestion: (caller, wait) => nextQuestion(deps, caller, wait),
    answerQuestion: (caller, consult, answer) => answerQuestion(deps, caller, consult, answer),
    takeNotes: (caller, consult) => takeNotes(deps, caller, consult),
    listAgents: () => listDirectory(deps),
    describeRules: () => describeRules(deps),
    describeMandate: (caller) => describeMandate(deps, caller),
    setMandate: (caller, terms, ifMatch) => setMandate(deps, caller, terms, ifMatch),
    queryAudit: (caller, query) => queryAudit(deps, { caller }, query),
    visibleTools: (caller) => visibleTools(deps, caller),
    recordRejected: (caller, attempt) => recordRejected(deps, caller, attempt),
    recordMalformed: (caller, failure) => recordMalformed(deps, caller, failure),
    log: deps.log,
    now: Date.now,
  };
}
