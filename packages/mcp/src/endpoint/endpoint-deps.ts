import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type {
  AuditPage,
  AuditQuery,
  Decision,
  DecisionPage,
  DecisionQuery,
  DirectoryEntry,
  Evidence,
  EvidenceInput,
  Failure,
  Mandate,
  MandateTerms,
  Result,
  RuleTable,
} from '@countersign/contracts';
import type {
  Ask,
  CallEnd,
  Caller,
  ConsultEnd,
  IncomingCall,
  JsonObject,
  MandateInForce,
  NextQuestion,
  PinnedTool,
  RelayedNote,
  RequestInput,
  Wait,
} from '@countersign/engine';
import type { Bounds } from '../ingress/scan.ts';

/** What the endpoint logs to; pino fits it. */
export type EndpointLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** The gate, as the endpoint needs it: the engine's operations, already bound to what they run on. Every one fails closed. */
export type EndpointDeps = {
  /** Where agents and principals reach this server, without a trailing slash. */
  readonly publicUrl: string;
  readonly version: string;
  /**
   * Asked for every request. `cached` is only used for calls of upstream tools: there `callTool` itself commits under the authority that
   * was read, and answers `unavailable` with `credential.invalid` where the credential has gone in between.
   */
  readonly resolveCaller: (secret: string | null, freshness: 'current' | 'cached') => Promise<Result<Caller, 'credential.invalid'>>;
  readonly callTool: (caller: Caller, call: IncomingCall) => Promise<CallEnd>;
  readonly awaitDecision: (
    caller: Caller,
    id: string,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ) => Promise<Result<CallEnd>>;
  readonly getDecision: (caller: Caller, id: string) => Promise<Result<Decision>>;
  readonly listDecisions: (caller: Caller, query: DecisionQuery) => Promise<Result<DecisionPage>>;
  readonly withdrawDecision: (caller: Caller, id: string, reason: string) => Promise<Result<Decision>>;
  /** Puts a question that has no call; its words are the agent's. */
  readonly requestDecision: (caller: Caller, input: RequestInput) => Promise<Result<CallEnd>>;
  readonly fileEvidence: (
    caller: Caller,
    input: EvidenceInput & { readonly origin: string },
  ) => Promise<Result<Evidence & { readonly decision: string | null }>>;
  /** The caller within the run that a token names, for the one credential that the token was given to. */
  readonly enterRun: (caller: Caller, runToken: string) => Promise<Result<Caller>>;
  readonly askAgent: (caller: Caller, ask: Ask, wait: Wait) => Promise<Result<ConsultEnd>>;
  readonly awaitConsult: (caller: Caller, consult: string, wait: Wait) => Promise<Result<ConsultEnd>>;
  readonly withdrawConsult: (caller: Caller, consult: string, reason: string) => Promise<Result<null>>;
  readonly nextQuestion: (caller: Caller, wait: Wait) => Promise<Result<NextQuestion | null>>;
  readonly answerQuestion: (caller: Caller, consult: string, answer: string) => Promise<Result<ConsultEnd>>;
  /** What was decided below the questions of the caller's agent; what it gets counts as told. */
  readonly takeNotes: (caller: Caller, consult: string | null) => Promise<readonly RelayedNote[]>;
  readonly listAgents: (caller: Caller) => Promise<readonly DirectoryEntry[]>;
  readonly describeRules: () => RuleTable | Promise<RuleTable>;
  /** The terms as they bind the caller now; for a principal its own. */
  readonly describeMandate: (caller: Caller) => Promise<Result<MandateInForce>>;
  readonly setMandate: (caller: Caller, terms: MandateTerms, ifMatch: number) => Promise<Result<Mandate>>;
  readonly queryAudit: (caller: Caller, query: AuditQuery) => Promise<Result<AuditPage>>;
  /**
   * The upstream tools that exist for this caller; the one place that decides it. Answers from cache, and with the same array as long as
   * nothing changed: lists are serialised once for each array.
   */
  readonly visibleTools: (caller: Caller) => readonly PinnedTool[];
  readonly recordMalformed: (caller: Caller, failure: Failure) => Promise<void>;
  /** A call of one of our own tools that was turned down. */
  readonly recordRejected: (
    caller: Caller,
    attempt: { readonly tool: string; readonly code: string; readonly args: JsonObject },
  ) => Promise<void>;
  readonly bounds?: Partial<Bounds>;
  readonly log: EndpointLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<EndpointLimits>;
  readonly timing?: Partial<EndpointTiming>;
};

export type EndpointLimits = {
  /** Sessions of one credential (2025 revisions); the one unused for longest is closed for a new one. The anonymous lane counts as one. */
  readonly sessionsPerCredential: number;
  readonly sessions: number;
  /** Open `subscriptions/listen` streams of one credential (2026-07-28). */
  readonly listenersPerCredential: number;
  readonly listeners: number;
};
export const DEFAULT_LIMITS: EndpointLimits = { sessionsPerCredential: 64, sessions: 4096, listenersPerCredential: 8, listeners: 1024 };

/** All in milliseconds. */
export type EndpointTiming = {
  /** A call with a progress token that takes longer is answered as a stream. */
  readonly slow: number;
  /** The same without a token; below the 15 s after which the first proxies grow impatient. */
  readonly slowWithoutToken: number;
  readonly progress: number;
  readonly keepalive: number;
  /** How long after its budget a held call is answered even if the gate has not come back. */
  readonly heldGrace: number;
  readonly sessionIdle: number;
  readonly listChangedDebounce: number;
  /** `ttlMs` of a tools/list answer (2026-07-28). */
  readonly listTtl: number;
};
export const DEFAULT_TIMING: EndpointTiming = {
  slow: 1000,
  slowWithoutToken: 10_000,
  progress: 10_000,
  keepalive: 15_000,
  heldGrace: 500,
  sessionIdle: 30 * 60_000,
  listChangedDebounce: 100,
  listTtl: 5000,
};

/** One HTTP request with its body as bytes: null where there was none, `too large` where the reader stopped at the bound. */
export type EndpointRequest = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array | 'too large' | null;
  /** Named in the log and in internal errors; made up where absent. */
  readonly requestId?: string;
};

export type AgentEndpoint = {
  /** Answers one request on `/mcp` and resolves when the answer is written or the client is gone. Never rejects. */
  readonly handle: (request: EndpointRequest, response: ServerResponse) => Promise<void>;
  /** The same for a request whose body nobody has read yet; reads it within the bound, else answers 413. */
  readonly serve: (request: IncomingMessage, response: ServerResponse, requestId?: string) => Promise<void>;
  /** Call it after any change of tools, rules, mandates, agents or credentials: whoever's visible list changed is told, once. */
  readonly toolsChanged: () => void;
  /** Answers held calls as pending at once, ends sessions and streams. Later requests get 503. */
  readonly close: () => Promise<void>;
  readonly sessionCount: () => number;
};
