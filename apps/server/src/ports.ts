/** What the server needs from the rest of the product. It starts nothing and knows neither the engine nor MCP: whoever assembles it binds these. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Agent,
  AgentInput,
  AgentPage,
  AnswerInput,
  AuditPage,
  AuditQuery,
  BulkAnswerInput,
  CredentialInput,
  CredentialPage,
  Decision,
  DecisionPage,
  DecisionQuery,
  DecisionRowPage,
  DecisionRowQuery,
  ExtendInput,
  HostFindings,
  HostState,
  IssuedCredential,
  Lane,
  Mandate,
  MandatePreview,
  MandatePreviewInput,
  MandateTerms,
  Principal,
  PrincipalInput,
  PrincipalPage,
  Readiness,
  ReloadReport,
  Result,
  RuleTable,
  Scope,
  ServerEvent,
  Stats,
  StatsQuery,
  ToolDetail,
  TryInput,
  TryReport,
} from '@countersign/contracts';
import type { FastifyBaseLogger } from 'fastify';

/** What the server reads of a caller; the engine's own is wider and comes back to it untouched. */
export type Caller = {
  readonly lane: Lane;
  readonly scopes: readonly Scope[];
  readonly credential: { readonly id: string; readonly kind: 'agent' | 'principal' | 'session' } | null;
  readonly agent: { readonly name: string } | null;
  readonly principal: { readonly name: string; readonly displayName: string } | null;
};

/** Who does a thing that the operator may do too. A part of the host never comes by HTTP; it stands here so that the engine's operations fit. */
export type Doer = { readonly caller: Caller } | { readonly operator: true } | { readonly host: string };

export type Page = { readonly limit: number; readonly cursor?: string | undefined };

/** A session's secret goes into the cookie and nowhere else. */
export type Session = { readonly secret: string; readonly expiresAt: string };

/** What a write answered, for a repeat under the same Idempotency-Key. */
export type StoredAnswer = { readonly status: number; readonly body: unknown };

type MaybeAsync<Value> = Value | Promise<Value>;

/**
 * The engine's operations with their `deps` bound; each returns expected failures as values and throws only for bugs.
 * Declared as methods so that functions of the engine's wider `Caller` fit: every caller that the server passes came out of `resolveCaller`.
 */
export interface Operations {
  /** `null` is the anonymous lane. A principal's token, an agent's credential and a session's secret all resolve here. */
  resolveCaller(secret: string | null): Promise<Result<Caller>>;
  /** Compares in constant time. */
  isOperator(secret: string): MaybeAsync<boolean>;
  /** A true credential of the wrong kind tried this (E1). Recorded before the refusal is sent. */
  recordForbidden(doer: Doer, attempt: { readonly route: string; readonly id: string | null }): Promise<void>;

  listDecisions(viewer: Caller, query: DecisionQuery): Promise<Result<DecisionPage>>;
  listDecisionRows(viewer: Caller, query: DecisionRowQuery): Promise<Result<DecisionRowPage>>;
  getDecision(viewer: Caller, id: string): Promise<Result<Decision>>;
  answerDecision(principal: Caller, id: string, input: AnswerInput): Promise<Result<Decision>>;
  answerDecisions(
    principal: Caller,
    input: BulkAnswerInput,
  ): Promise<{ readonly items: readonly { readonly id: string; readonly result: Result<Decision> }[] }>;
  extendDecision(principal: Caller, id: string, input: ExtendInput): Promise<Result<Decision>>;
  withdrawDecision(caller: Caller, id: string, reason: string): Promise<Result<Decision>>;

  describeRules(): MaybeAsync<RuleTable>;
  tryCall(viewer: Caller, input: TryInput): MaybeAsync<Result<TryReport>>;
  describeTool(key: string): Promise<Result<ToolDetail>>;
  readStats(principal: Caller, query: StatsQuery): Promise<Result<Stats>>;

  listAgents(doer: Doer, page: Page): Promise<Result<AgentPage>>;
  createAgent(doer: Doer, input: AgentInput): Promise<Result<Agent>>;
  admitAgent(doer: Doer, name: string): Promise<Result<Agent>>;
  suspendAgent(doer: Doer, name: string): Promise<Result<Agent>>;

  /** Credentials of one agent. */
  listCredentials(doer: Doer, agent: string, page: Page): Promise<Result<CredentialPage>>;
  issueCredential(
    doer: Doer,
    holder: { readonly agent: string } | { readonly principal: string },
    input: CredentialInput,
  ): Promise<Result<IssuedCredential>>;
  /** Revoking twice succeeds twice. */
  revokeCredential(doer: Doer, id: string): Promise<Result<unknown>>;

  listPrincipals(doer: Doer, page: Page): Promise<Result<PrincipalPage>>;
  createPrincipal(doer: Doer, input: PrincipalInput): Promise<Result<Principal>>;
  /** The principal that a caller is or acts for. */
  principalOf(caller: Caller): Promise<Result<Principal>>;

  issueLoginLink(doer: Doer, principal: string): Promise<Result<{ readonly token: string; readonly expiresAt: string }>>;
  /** One use: the second redemption of a token fails with `credential.invalid`. */
  redeemLogin(token: string): Promise<Result<Session>>;
  openSession(principal: Caller): Promise<Result<Session>>;
  endSession(principal: Caller): Promise<void>;

  getMandate(principal: Caller): Promise<Result<Mandate>>;
  /** `conflict` when `ifMatch` is not the current version. */
  setMandate(principal: Caller, terms: MandateTerms, ifMatch: number): Promise<Result<Mandate>>;
  /** Changes nothing. */
  previewMandate(principal: Caller, input: MandatePreviewInput): Promise<Result<MandatePreview>>;

  queryAudit(viewer: Caller, query: AuditQuery): Promise<Result<AuditPage>>;

  hostState(): MaybeAsync<HostState>;
  freezeHost(doer: Doer, reason: string): Promise<Result<HostState>>;
  thawHost(doer: Doer): Promise<Result<HostState>>;
  reloadConfig(doer: Doer): Promise<Result<ReloadReport>>;
  /** What keeps decisions from people and calls from servers, as far as the doer may hear of it. */
  findFindings(doer: Doer): Promise<HostFindings>;
  readiness(): Promise<Readiness>;

  /**
   * Runs `run` once for a key and doer. The same key with the same `bodyDigest` gets what `run` returned as `later`; with another digest it is
   * `idempotency.conflict`; while the first is still running, `conflict`. `later: null` or a throw leaves the key free.
   */
  idempotent(
    key: string,
    doer: Doer,
    bodyDigest: string,
    run: () => Promise<{ readonly now: StoredAnswer; readonly later: StoredAnswer | null }>,
  ): Promise<Result<StoredAnswer>>;
}

/** A change as the engine announces it. `seenBy` names the principals that may hear of it; empty means everybody. */
export type ChangeNotice = Omit<ServerEvent, 'type'> & {
  readonly type: Exclude<ServerEvent['type'], 'resync'>;
  readonly seenBy: readonly string[];
};

export type ServerDeps = {
  readonly operations: Operations;
  /** Owns its part of the connection: credentials, lanes, protocol errors. `body` is null where the request had none. */
  readonly mcp: { handle(request: IncomingMessage, response: ServerResponse, body: Buffer | null): Promise<void> };
  /** Calls `listener` for every change in any process, until the returned function is called. */
  readonly changes: { subscribe(listener: (notice: ChangeNotice) => void): () => void };
  /** The strict scan of DESIGN section 5 for the bodies of this API: what a principal edits must arrive as it was typed. */
  readonly readJson: (bytes: Uint8Array) => Result<{ readonly value: unknown }>;
  readonly log: FastifyBaseLogger;
  readonly config: ServerSettings;
  /** Folder with index.html and its files; null serves no page. */
  readonly staticDir: string | null;
  readonly version: string;
};

/** Read anew on each request, so the caller may hand in getters: a `publicUrl` that follows from the port is known only after listening. */
export type ServerSettings = {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly host: string;
  readonly port: number;
  readonly requestsPerMinute: number;
  readonly bodyBytes: number;
  /** Open event streams that one principal may have. */
  readonly streamsPerPrincipal?: number;
  readonly keepaliveMs?: number;
};
