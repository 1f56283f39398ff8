import type {
  Agent,
  AgentInput,
  AgentPage,
  AnswerInput,
  AuditPage,
  AuditQuery,
  BulkAnswerInput,
  BulkAnswerReport,
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
  LoginLink,
  Mandate,
  MandatePreview,
  MandatePreviewInput,
  MandateTerms,
  Me,
  Principal,
  PrincipalInput,
  PrincipalPage,
  Readiness,
  ReloadReport,
  RuleTable,
  Stats,
  StatsQuery,
  ToolDetail,
  TryInput,
  TryReport,
} from '@countersign/contracts';
import { type ClientResult, failureOf } from './client-result.ts';
import { type ClientEvent, type EventOptions, readEvents } from './events.ts';
import { type ClientOptions, createTransport, type Query, type RequestOptions, type Transport } from './transport.ts';

/** How one request is sent: an abort signal, and for a write that the caller repeats itself, the key of the first attempt. */
export type Sending = Pick<RequestOptions, 'signal' | 'idempotencyKey'>;
type Answer<Value> = Promise<ClientResult<Value>>;
type Paging = { readonly limit?: number; readonly cursor?: string };

const API = '/api/v1';
const seg = encodeURIComponent;
const query = (fields: object): Query => fields as Query;

const readReadiness = async (transport: Transport): Answer<Readiness> => {
  try {
    const response = await transport.open('/readyz', { accept: 'application/json' });
    const body: unknown = await response.json();
    const answered = response.ok || (response.status === 503 && (body as Partial<Readiness>).checks !== undefined);
    return answered ? { ok: true, value: body as Readiness } : { ok: false, error: failureOf(response.status, body) };
  } catch {
    return { ok: false, error: { code: 'client.unreachable', message: 'The server does not answer.' } };
  }
};

/**
 * The HTTP API, one method for each route, in a browser and in Node. Expected failures are values; an aborted request rejects with the signal's reason.
 * Every write carries an Idempotency-Key that its retries keep.
 */
export const createClient = (options: ClientOptions) => {
  const transport = createTransport(options);
  const get = <Value>(path: string, fields: object = {}, how: Sending = {}): Answer<Value> =>
    transport.request('GET', path, { ...how, query: query(fields) });
  const post = <Value>(path: string, body?: unknown, how: Sending = {}): Answer<Value> => transport.request('POST', path, { ...how, body });

  return {
    decisions: {
      list: (fields: Partial<DecisionQuery> = {}, how?: Sending) => get<DecisionPage>(`${API}/decisions`, fields, how),
      /** Small rows with the number of all matches, for lists. */
      rows: (fields: Partial<DecisionRowQuery> = {}, how?: Sending) => get<DecisionRowPage>(`${API}/decisions/rows`, fields, how),
      get: (id: string, how?: Sending) => get<Decision>(`${API}/decisions/${seg(id)}`, {}, how),
      answer: (id: string, input: AnswerInput, how?: Sending) => post<Decision>(`${API}/decisions/${seg(id)}/answer`, input, how),
      answerMany: (input: BulkAnswerInput, how?: Sending) => post<BulkAnswerReport>(`${API}/decisions/answers`, input, how),
      extend: (id: string, input: ExtendInput, how?: Sending) => post<Decision>(`${API}/decisions/${seg(id)}/extend`, input, how),
      withdraw: (id: string, reason: string, how?: Sending) => post<Decision>(`${API}/decisions/${seg(id)}/withdraw`, { reason }, how),
    },
    rules: {
      table: (how?: Sending) => get<RuleTable>(`${API}/rules`, {}, how),
      try: (input: TryInput, how?: Sending) => post<TryReport>(`${API}/rules/try`, input, how),
    },
    tools: {
      get: (tool: string, how?: Sending) => get<ToolDetail>(`${API}/tools/${seg(tool)}`, {}, how),
    },
    /** How a principal was asked; days begin and end in the time zone `tz`. */
    stats: (fields: Partial<StatsQuery> = {}, how?: Sending) => get<Stats>(`${API}/stats`, fields, how),
    agents: {
      list: (fields: Paging = {}, how?: Sending) => get<AgentPage>(`${API}/agents`, fields, how),
      create: (input: Omit<AgentInput, 'description'> & { description?: string }, how?: Sending) =>
        post<Agent>(`${API}/agents`, input, how),
      admit: (name: string, how?: Sending) => post<Agent>(`${API}/agents/${seg(name)}/admit`, undefined, how),
      suspend: (name: string, how?: Sending) => post<Agent>(`${API}/agents/${seg(name)}/suspend`, undefined, how),
      credentials: (name: string, fields: Paging = {}, how?: Sending) =>
        get<CredentialPage>(`${API}/agents/${seg(name)}/credentials`, fields, how),
      issueCredential: (name: string, input: Partial<CredentialInput> = {}, how?: Sending) =>
        post<IssuedCredential>(`${API}/agents/${seg(name)}/credentials`, input, how),
    },
    credentials: {
      revoke: (id: string, how: Sending = {}): Answer<void> => transport.request('DELETE', `${API}/credentials/${seg(id)}`, how),
    },
    /** For the operator. */
    principals: {
      list: (fields: Paging = {}, how?: Sending) => get<PrincipalPage>(`${API}/principals`, fields, how),
      create: (input: PrincipalInput, how?: Sending) => post<Principal>(`${API}/principals`, input, how),
      loginLink: (name: string, how?: Sending) => post<LoginLink>(`${API}/principals/${seg(name)}/login-link`, undefined, how),
      issueToken: (name: string, input: Partial<CredentialInput> = {}, how?: Sending) =>
        post<IssuedCredential>(`${API}/principals/${seg(name)}/token`, input, how),
    },
    audit: {
      query: (fields: Partial<AuditQuery> = {}, how?: Sending) => get<AuditPage>(`${API}/audit`, fields, how),
    },
    mandate: {
      get: (how?: Sending) => get<Mandate>(`${API}/mandates/me`, {}, how),
      /** `version` is the one that was read; another one in force by now is `conflict`. */
      set: (terms: MandateTerms, version: number, how: Sending = {}): Answer<Mandate> =>
        transport.request('PUT', `${API}/mandates/me`, { ...how, body: terms, headers: { 'if-match': String(version) } }),
      /** What these terms would have made of recorded calls. Changes nothing. */
      preview: (input: MandateTerms & Partial<Pick<MandatePreviewInput, 'days'>>, how?: Sending) =>
        post<MandatePreview>(`${API}/mandates/preview`, input, how),
    },
    host: {
      get: (how?: Sending) => get<HostState>(`${API}/host`, {}, how),
      freeze: (reason: string, how?: Sending) => post<HostState>(`${API}/freeze`, { reason }, how),
      thaw: (how?: Sending) => post<HostState>(`${API}/thaw`, undefined, how),
      /** What the host finds in itself, for the operator and for principals. */
      findings: (how?: Sending) => get<HostFindings>(`${API}/health/findings`, {}, how),
      reloadConfig: (how?: Sending) => post<ReloadReport>(`${API}/config/reload`, undefined, how),
      /** Not being ready is an answer, not a failure. */
      ready: () => readReadiness(transport),
    },
    me: (how?: Sending) => get<Me>(`${API}/me`, {}, how),
    /** Opens a session in this browser from a principal's token. */
    login: (token: string, how?: Sending) => post<Me>(`${API}/login`, { token }, how),
    logout: (how?: Sending) => post<void>(`${API}/logout`, undefined, how),
    events: (how: EventOptions = {}): AsyncGenerator<ClientEvent> => readEvents(transport, how),
  };
};

export type Client = ReturnType<typeof createClient>;
