import * as z from 'zod';

/** The seven names that decide which tools are registered for a caller. */
export const Scope = z.enum([
  'directory:read',
  'decisions:write',
  'evidence:write',
  'consult',
  'audit:read',
  'mandate:write',
  'tools:call',
]);
export type Scope = z.infer<typeof Scope>;

/** What a credential amounts to right now. */
export const Lane = z.enum(['anonymous', 'probation', 'member', 'principal']);
export type Lane = z.infer<typeof Lane>;

/** Never granted to an agent's credential, by any route: an agent that can change its terms does not act under terms. */
export const PRINCIPAL_ONLY_SCOPE: Scope = 'mandate:write';

/** What each lane can have at the most, whatever a credential or a mandate says. */
export const LANE_CEILING = {
  anonymous: ['directory:read'],
  probation: ['directory:read', 'decisions:write', 'evidence:write'],
  member: ['directory:read', 'decisions:write', 'evidence:write', 'consult', 'audit:read', 'tools:call'],
  principal: Scope.options,
} as const satisfies Record<Lane, readonly Scope[]>;

/** Our own tools and the scope that registers each. */
export const OWN_TOOL_SCOPE = {
  whoami: 'directory:read',
  list_agents: 'directory:read',
  list_rules: 'directory:read',
  my_mandate: 'decisions:write',
  request_decision: 'decisions:write',
  list_decisions: 'decisions:write',
  get_decision: 'decisions:write',
  await_decision: 'decisions:write',
  withdraw_decision: 'decisions:write',
  file_evidence: 'evidence:write',
  ask_agent: 'consult',
  next_question: 'consult',
  answer_question: 'consult',
  query_audit: 'audit:read',
  set_mandate: 'mandate:write',
} as const satisfies Record<string, Scope>;
export type OwnToolName = keyof typeof OWN_TOOL_SCOPE;
