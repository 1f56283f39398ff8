import * as z from 'zod';
import { MandateTerms, Term } from './config.ts';
import { ErrorCode } from './errors.ts';
import { Evidence } from './evidence.ts';
import { AgentId, AnswerId, CallId, CredentialId, DecisionId, Digest, PrincipalId, Timestamp } from './ids.ts';
import { Lane, Scope } from './lanes.ts';
import { Effect, Ground } from './verdict.ts';

/** RFC 9457, with our stable `code`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: ErrorCode,
  detail: z.string(),
  requestId: z.string().optional(),
  context: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof Problem>;

const page = <Item extends z.ZodType>(item: Item) => z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });
export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

export const DecisionKind = z.enum(['call', 'request', 'spend', 'tool', 'outcome']);
export type DecisionKind = z.infer<typeof DecisionKind>;
export const DecisionStatus = z.enum(['pending', 'approved', 'refused', 'expired', 'withdrawn']);
export type DecisionStatus = z.infer<typeof DecisionStatus>;
export const CallState = z.enum(['running', 'held', 'queued', 'executing', 'done', 'failed', 'unknown', 'refused', 'abandoned']);
export type CallState = z.infer<typeof CallState>;

export const Hop = z.strictObject({
  run: z.string(),
  agent: z.string(),
  principal: z.string(),
  /** The task or the question that started this run; text that somebody wrote. */
  question: z.string().nullable(),
});
export type Hop = Readonly<z.infer<typeof Hop>>;

export const Answer = z.strictObject({
  id: AnswerId,
  principal: z.string(),
  effect: z.enum(['approve', 'refuse']),
  note: z.string().nullable(),
  editedArgs: z.record(z.string(), z.unknown()).nullable(),
  shownDigest: Digest,
  at: Timestamp,
});
export type Answer = Readonly<z.infer<typeof Answer>>;

export const Outcome = z.strictObject({
  state: z.enum(['done', 'failed', 'unknown', 'not_run']),
  at: Timestamp,
  /** Why it was not run, failed or is unknown. */
  reason: z.string().nullable(),
  /** The upstream's CallToolResult, for `done`. */
  result: z.record(z.string(), z.unknown()).nullable(),
});
export type Outcome = Readonly<z.infer<typeof Outcome>>;

/** Whether an agent of the chain knows how a decision was settled: `toldAt` is null while it was not reached yet. */
export const RelayReceipt = z.strictObject({ agent: z.string(), toldAt: Timestamp.nullable() });
export type RelayReceipt = Readonly<z.infer<typeof RelayReceipt>>;

export const Decision = z.strictObject({
  id: DecisionId,
  kind: DecisionKind,
  state: DecisionStatus,
  version: z.int(),
  /** Digest of exactly what is put before the principal; an answer must name it. */
  shownDigest: Digest,
  title: z.string(),
  principal: z.string(),
  answerBy: z.array(z.string()),
  needs: z.int(),
  agent: z.string(),
  chain: z.array(Hop),
  grounds: z.array(Ground),
  irreversible: z.boolean(),
  call: z
    .strictObject({
      id: CallId,
      tool: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      digest: Digest,
      state: CallState,
      /** What ran or will run, when a principal edited the arguments. */
      effectiveArguments: z.record(z.string(), z.unknown()).nullable(),
    })
    .nullable(),
  request: z.record(z.string(), z.unknown()).nullable(),
  context: z.strictObject({
    /** What the server saw itself. */
    seen: z.record(z.string(), z.unknown()),
    /** What the agent says; somebody else's text. */
    claimed: z.string().nullable(),
  }),
  answers: z.array(Answer),
  /** What agents filed about this decision: their words, unchecked. */
  evidence: z.array(Evidence),
  outcome: Outcome.nullable(),
  /** From the agent that made the call up to the root; empty while the decision is pending. */
  relay: z.array(RelayReceipt),
  supersedes: DecisionId.nullable(),
  supersededBy: DecisionId.nullable(),
  afterRefusalOf: DecisionId.nullable(),
  /** What the asking principal may do right now; the page draws its buttons from this. */
  allowed: z.array(z.enum(['approve', 'refuse', 'extend'])),
  /** What `remember` would add to the asking principal's own mandate, before time and uses; null where it can't approve, or nothing can be remembered. */
  rememberTerm: Term.nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  settledAt: Timestamp.nullable(),
  /** Why it was withdrawn or expired; for an answered decision the answers say it. */
  settledReason: z.string().nullable(),
});
export type Decision = z.infer<typeof Decision>;
export const DecisionPage = page(Decision);
export type DecisionPage = z.infer<typeof DecisionPage>;

const csv = <Item extends z.ZodType>(item: Item) => z.preprocess((raw) => (typeof raw === 'string' ? raw.split(',') : raw), z.array(item));
export const DecisionQuery = PageQuery.extend({
  state: csv(DecisionStatus).optional(),
  kind: csv(DecisionKind).optional(),
  agent: z.string().optional(),
  tool: z.string().optional(),
  rule: z.string().optional(),
  q: z.string().max(200).optional(),
  sort: z.enum(['age', 'deadline']).default('age'),
});
export type DecisionQuery = z.infer<typeof DecisionQuery>;

export const AnswerInput = z.strictObject({
  version: z.int(),
  shownDigest: Digest,
  effect: z.enum(['approve', 'refuse']),
  note: z.string().max(4000).optional(),
  editedArgs: z.record(z.string(), z.unknown()).optional(),
  remember: z.strictObject({ ttl_days: z.int().positive().max(366).optional(), uses: z.int().positive().optional() }).optional(),
});
export type AnswerInput = z.infer<typeof AnswerInput>;
export const BulkAnswerInput = z.strictObject({
  answers: z
    .array(AnswerInput.extend({ id: DecisionId }))
    .min(1)
    .max(500),
});
export type BulkAnswerInput = z.infer<typeof BulkAnswerInput>;
export const BulkAnswerReport = z.strictObject({
  items: z.array(z.strictObject({ id: DecisionId, ok: z.boolean(), decision: Decision.nullable(), problem: Problem.nullable() })),
});
export type BulkAnswerReport = z.infer<typeof BulkAnswerReport>;
export const ExtendInput = z.strictObject({ version: z.int(), expiresAt: Timestamp });
export type ExtendInput = z.infer<typeof ExtendInput>;

export const RuleRow = z.strictObject({
  /** Place in evaluation order, from 1. */
  order: z.int(),
  id: z.string(),
  tool: z.string(),
  when: z.string(),
  reason: z.string(),
  effect: z.enum(['ask', 'refuse']),
  match: z.string().nullable(),
  answerBy: z.array(z.string()),
  needs: z.int(),
  mode: z.enum(['enforce', 'shadow']),
  expiresMs: z.int(),
  /** Whether its decisions look different and want a typed note. */
  irreversible: z.boolean(),
  /** How long a decision waits before its principals are reminded; null: they are not. */
  remindMs: z.int().nullable(),
  /** CEL of the card's headline; null where the card names the agent and the tool. */
  title: z.string().nullable(),
});
export type RuleRow = Readonly<z.infer<typeof RuleRow>>;
export const ToolRow = z.strictObject({
  tool: z.string(),
  state: z.enum(['accepted', 'quarantined', 'gone']),
  /** `allow`: no rule names it. `depends`: a rule reads the arguments. */
  verdict: z.enum(['allow', 'ask', 'refuse', 'depends']),
  rules: z.array(z.string()),
});
export type ToolRow = Readonly<z.infer<typeof ToolRow>>;
/** One upstream tool: the definition that people rely on, and what the host declares about it. */
export const ToolDetail = z.strictObject({
  tool: z.string(),
  server: z.string(),
  state: ToolRow.shape.state,
  /** Of `definition`: the accepted one, also while a changed one waits for somebody to accept it. */
  digest: Digest,
  /** As the server sent it. Its descriptions and annotations are the server's words; no rule reads them. */
  definition: z.record(z.string(), z.unknown()),
  idempotent: z.boolean(),
  /** CEL over the arguments, in USD. */
  cost: z.string().nullable(),
  /** Paths into the arguments whose values nobody is shown. */
  redact: z.array(z.string()),
});
export type ToolDetail = z.infer<typeof ToolDetail>;
export const RuleTable = z.strictObject({ digest: Digest, rules: z.array(RuleRow), tools: z.array(ToolRow) });
export type RuleTable = z.infer<typeof RuleTable>;
export const TryInput = z.strictObject({ tool: z.string(), arguments: z.unknown(), agent: z.string().optional() });
export type TryInput = z.infer<typeof TryInput>;
export const TryReport = z.strictObject({
  effect: Effect,
  grounds: z.array(Ground),
  /** Every rule and term that was looked at, and what it said. */
  considered: z.array(
    z.strictObject({
      kind: z.enum(['rule', 'term']),
      id: z.string(),
      when: z.string(),
      said: z.enum(['matches', 'does not match', 'could not be evaluated']),
      detail: z.string().nullable(),
    }),
  ),
  /** What of the arguments does not fit the tool's own schema, which would refuse an edit; null where they fit. */
  schemaProblem: z.string().nullable(),
});
export type TryReport = z.infer<typeof TryReport>;

export const Agent = z.strictObject({
  id: AgentId,
  name: z.string(),
  principal: z.string(),
  status: z.enum(['probation', 'member', 'suspended']),
  lane: Lane,
  description: z.string(),
  createdAt: Timestamp,
  lastSeenAt: Timestamp.nullable(),
});
export type Agent = z.infer<typeof Agent>;
/** An agent as other agents see it. */
export const DirectoryEntry = Agent.pick({ name: true, principal: true, status: true, lane: true, description: true }).extend({
  /** Whether it may be asked right now: a member whose principal lets it consult. */
  takesQuestions: z.boolean(),
});
export type DirectoryEntry = z.infer<typeof DirectoryEntry>;
export const AgentPage = page(Agent);
export type AgentPage = z.infer<typeof AgentPage>;
export const AgentInput = z.strictObject({
  name: z.string(),
  principal: z.string().optional(),
  description: z.string().max(1000).default(''),
});
export type AgentInput = z.infer<typeof AgentInput>;

export const Credential = z.strictObject({
  id: CredentialId,
  agent: z.string().nullable(),
  principal: z.string(),
  label: z.string(),
  scopes: z.array(Scope).nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  lastUsedAt: Timestamp.nullable(),
});
export type Credential = z.infer<typeof Credential>;
export const CredentialPage = page(Credential);
export type CredentialPage = z.infer<typeof CredentialPage>;
export const CredentialInput = z.strictObject({
  label: z.string().max(120).default(''),
  scopes: z.array(Scope).optional(),
  ttl_days: z.int().positive().max(3650).optional(),
  /** Wait budgets for held calls of this credential, in milliseconds. */
  hold: z.strictObject({ wait: z.int().min(0).max(3_600_000), wait_with_progress: z.int().min(0).max(3_600_000) }).optional(),
});
export type CredentialInput = z.infer<typeof CredentialInput>;
/** The only answer that ever holds a secret. */
export const IssuedCredential = z.strictObject({ token: z.string(), id: CredentialId, expiresAt: Timestamp.nullable() });
export type IssuedCredential = z.infer<typeof IssuedCredential>;

export const Principal = z.strictObject({ id: PrincipalId, name: z.string(), displayName: z.string(), email: z.string().nullable() });
export type Principal = z.infer<typeof Principal>;
export const PrincipalPage = page(Principal);
export type PrincipalPage = z.infer<typeof PrincipalPage>;
export const PrincipalInput = z.strictObject({
  name: z.string(),
  displayName: z.string(),
  email: z.email().optional(),
  mandate: MandateTerms.optional(),
});
export type PrincipalInput = z.infer<typeof PrincipalInput>;
export const Me = z.strictObject({ principal: Principal, csrf: z.string().nullable(), frozen: z.boolean() });
export type Me = z.infer<typeof Me>;
export const LoginLink = z.strictObject({ url: z.url(), expiresAt: Timestamp });
export type LoginLink = z.infer<typeof LoginLink>;

export const Mandate = z.strictObject({
  version: z.int(),
  ...MandateTerms.shape,
  madeBy: z.string().optional(),
  createdAt: Timestamp.optional(),
  /** How often each term was used that has a number of uses, by its place; 0 for all others. */
  used: z.array(z.int()).optional(),
  /** What the principal should know about terms that are allowed and in force: whom they lock out, what can never apply. */
  warnings: z.array(z.string()).optional(),
});
export type Mandate = z.infer<typeof Mandate>;

/** What `GET mandates/me` gave, with other terms: the fields that the server keeps are accepted and ignored. */
export const MandateInput = z.strictObject({
  ...MandateTerms.shape,
  version: z.int().optional(),
  madeBy: z.string().optional(),
  createdAt: Timestamp.optional(),
  used: z.array(z.int()).optional(),
  warnings: z.array(z.string()).optional(),
});
export type MandateInput = z.infer<typeof MandateInput>;

export const WithdrawInput = z.strictObject({ reason: z.string().min(1).max(1000) });
export type WithdrawInput = z.infer<typeof WithdrawInput>;
/** Opens a session in a browser from a principal's token. */
export const LoginInput = z.strictObject({ token: z.string().min(1).max(200) });
export type LoginInput = z.infer<typeof LoginInput>;

/** The rules in force after the config was read again. */
export const ReloadReport = z.strictObject({ digest: Digest, rules: z.int(), warnings: z.array(z.string()) });
export type ReloadReport = z.infer<typeof ReloadReport>;
export const Readiness = z.strictObject({ ready: z.boolean(), checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean() })) });
export type Readiness = z.infer<typeof Readiness>;

/**
 * What /events sends: which thing changed, never its content. A `call` is announced to those who may see its decisions: when a worker
 * claimed it, and when it came to its end. `resync`: some changes were missed, so read again what you show.
 * `id` is the decision's, the call's, or the name of the agent, principal or tool.
 */
export const ServerEvent = z.strictObject({
  type: z.enum(['decision', 'call', 'agent', 'mandate', 'host', 'rules', 'tool', 'resync']),
  id: z.string(),
  state: z.string().optional(),
  version: z.int().optional(),
});
export type ServerEvent = z.infer<typeof ServerEvent>;

export const FreezeInput = z.strictObject({ reason: z.string().min(1).max(500) });
export const HostState = z.strictObject({
  frozen: z.boolean(),
  frozenAt: Timestamp.nullable(),
  frozenBy: z.string().nullable(),
  reason: z.string().nullable(),
});
export type HostState = z.infer<typeof HostState>;

export { page };
