export { visible, visibleLine } from '@countersign/contracts';
export { advance, type CallCommand, type CallLife, type CallTransition, isFinished, isLeaseOver, type RefusalCause } from './call.ts';
export { argsOf, type CallFacts, isJsonObject, type JsonObject } from './call-facts.ts';
export {
  bindingsOf,
  type CelBindings,
  type CelKind,
  type CelOutcome,
  type CelProgram,
  compileCel,
  MAX_SOURCE,
  measureWorstCase,
  WORST_CASE_MS,
} from './cel.ts';
export { CEL_VARIABLES, MAX_DEPTH } from './cel-lint.ts';
export { MAX_LIST, MAX_STRING } from './cel-values.ts';
export { type ChainLimits, type HopScopes, mayAsk, scopesInChain, withinDeadline } from './chain.ts';
export {
  CLAIM_MS,
  type Claim,
  CONSULT_MS,
  type ConsultCommand,
  type ConsultError,
  type ConsultState,
  type ConsultStatus,
  type ConsultTransition,
  decideConsult,
} from './consult.ts';
export {
  type AllowedCommand,
  type Approval,
  allowedCommands,
  type DecisionCommand,
  type DecisionError,
  type DecisionState,
  type DecisionTransition,
  decide,
  type Moment,
  type Question,
} from './decision.ts';
export { fold } from './fold.ts';
export { type CompiledMandate, type Coverage, compareMandates, compileMandate, covers, hasEnded, narrowTerm } from './mandate.ts';
export { mandateWarnings } from './mandate-warnings.ts';
export { type CredentialHolder, effectiveScopes, isVisible, laneOf } from './permission.ts';
export { ruleTable, toolRows } from './rule-table.ts';
export { type CodeRule, compileRules, type Reading, type Rule, type RuleProblem, type RuleSet, ruleFromCode } from './rules.ts';
export { matchesPattern } from './tool-pattern.ts';
export {
  type AgentText,
  agentText,
  clip,
  exposed,
  hostText,
  joinTexts,
  type Quoted,
  quote,
  token,
  type Untrusted,
  untrusted,
} from './untrusted.ts';
export { classify, type EarlierNo, explain, type GateContext, titleFor, type Verdict } from './verdict.ts';
