import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Agent,
  type Decision,
  type DecisionRow,
  type ErrorCode,
  type Failure,
  fail,
  type Mandate,
  ok,
  type Result,
  type Tally,
  type ToolDetail,
} from '@countersign/contracts';
import Fastify from 'fastify';
import type { Caller, ChangeNotice, Doer, Operations, ServerDeps, ServerSettings, StoredAnswer } from '../src/ports.ts';

export const HOST = '127.0.0.1:7420';
export const AT = '2026-11-30T12:00:00.000Z';
const LATER = '2099-01-01T00:00:00.000Z';
export const id = (prefix: string, n: number): string => `${prefix}_01jd${String(n).padStart(22, '0')}`;
export const DIGEST = `sha256:${'a'.repeat(64)}` as const;

export const TOKENS = {
  ada: 'csp_ada-token-0123456789',
  ben: 'csp_ben-token-0123456789',
  researcher: 'csa_researcher-0123456789',
  newcomer: 'csa_newcomer-0123456789',
  operator: 'cso_operator-0123456789',
} as const;

const caller = (fields: Partial<Caller> & { credentialKind: 'agent' | 'principal' | 'session' }): Caller => ({
  lane: 'principal',
  scopes: [],
  agent: null,
  principal: { name: 'ada', displayName: 'Ada Marsh' },
  ...fields,
  credential: { id: id('crd', 1), kind: fields.credentialKind },
});

const CALLERS: Record<string, Caller> = {
  [TOKENS.ada]: caller({ credentialKind: 'principal' }),
  [TOKENS.ben]: caller({ credentialKind: 'principal', principal: { name: 'ben', displayName: 'Ben Okafor' } }),
  [TOKENS.researcher]: caller({
    credentialKind: 'agent',
    lane: 'member',
    scopes: ['directory:read', 'decisions:write', 'audit:read'],
    agent: { name: 'researcher' },
  }),
  [TOKENS.newcomer]: caller({ credentialKind: 'agent', lane: 'probation', scopes: ['directory:read'], agent: { name: 'newcomer' } }),
};

export const aDecision = (fields: Partial<Decision> = {}): Decision => ({
  id: id('dec', 1) as Decision['id'],
  kind: 'call',
  state: 'pending',
  version: 1,
  shownDigest: DIGEST,
  title: 'Eat 5 cookies',
  principal: 'ada',
  answerBy: ['ada'],
  needs: 1,
  agent: 'researcher',
  chain: [{ run: id('run', 1), agent: 'researcher', principal: 'ada', question: 'Tidy up' }],
  grounds: [
    {
      kind: 'rule',
      effect: 'ask',
      reason: 'Cookies cannot be un-eaten.',
      rule: 'eat',
      when: 'the action is "eat"',
      answerBy: ['ada'],
      needs: 1,
      expiresMs: 86_400_000,
      irreversible: false,
      mode: 'enforce',
    },
  ],
  irreversible: false,
  call: {
    id: id('call', 1) as never,
    tool: 'jar__cookie_jar',
    arguments: { action: 'eat', amount: 5 },
    digest: DIGEST,
    state: 'held',
    effectiveArguments: null,
  },
  request: null,
  context: { seen: { task: 'Tidy up' }, claimed: 'I am hungry' },
  answers: [],
  evidence: [],
  outcome: null,
  supersedes: null,
  relay: [],
  supersededBy: null,
  afterRefusalOf: null,
  allowed: ['approve', 'refuse', 'extend'],
  rememberTerm: null,
  createdAt: AT,
  expiresAt: LATER,
  settledAt: null,
  settledReason: null,
  ...fields,
});

/** What a list would show of a decision. */
const rowOf = (decision: Decision): DecisionRow => {
  const { id, kind, state, version, shownDigest, title, principal, agent, irreversible, allowed, createdAt, expiresAt, settledAt } =
    decision;
  const shared = { id, kind, state, version, shownDigest, title, principal, agent, irreversible, allowed, createdAt, expiresAt, settledAt };
  const telling = [{ name: 'action', value: 'eat' }];
  return {
    ...shared,
    tool: 'jar__cookie_jar',
    hops: 0,
    why: 'the action is "eat"',
    rules: ['eat'],
    telling,
    argumentBytes: 27,
    settledBy: [],
  };
};

const A_TOOL: ToolDetail = {
  tool: 'jar__cookie_jar',
  server: 'jar',
  state: 'accepted',
  digest: DIGEST,
  definition: { name: 'cookie_jar', inputSchema: { type: 'object' } },
  idempotent: false,
  cost: null,
  redact: [],
};
const TALLY: Tally = { asks: 1, approved: 1, refused: 0, expired: 0, withdrawn: 0, medianMs: 1500, p90Ms: 1500, under2s: 1 };

export const anAgent = (name = 'researcher'): Agent => ({
  id: id('agt', 1) as Agent['id'],
  name,
  principal: 'ada',
  status: 'member',
  lane: 'member',
  description: '',
  createdAt: AT,
  lastSeenAt: null,
});

const page = <Item>(items: Item[]): Result<{ items: Item[]; nextCursor: null }> => ok({ items, nextCursor: null });
const nameOf = (doer: Doer): string =>
  'caller' in doer ? (doer.caller.agent?.name ?? doer.caller.principal?.name ?? 'anonymous') : 'operator';

/** Operations over plain memory: just enough truth to see what the server makes of each answer. `calls` lists what was asked of it. */
export const fakeHost = () => {
  const calls: { readonly name: string; readonly args: readonly unknown[] }[] = [];
  const forbidden: unknown[] = [];
  const decisions = new Map<string, Decision>(
    [aDecision(), aDecision({ id: id('dec', 2) as never, principal: 'ben', answerBy: ['ben'] })].map((one) => [one.id, one]),
  );
  const sessions = new Map<string, Caller>();
  const links = new Map<string, string>([['login-token-ada', TOKENS.ada]]);
  const stored = new Map<string, { readonly digest: string; readonly answer: StoredAnswer }>();
  const listeners = new Set<(notice: ChangeNotice) => void>();
  let mandate: Mandate = { version: 3, scopes: ['tools:call'], terms: [], madeBy: 'ada', createdAt: AT };
  let frozen = false;
  let ready = true;
  let failNext: Failure | Error | null = null;

  const hostState = () => ({ frozen, frozenAt: frozen ? AT : null, frozenBy: frozen ? 'ada' : null, reason: frozen ? 'looking' : null });
  const openSession = (of: Caller) => {
    const secret = `css_${randomBytes(16).toString('hex')}`;
    sessions.set(secret, { ...of, credential: { id: id('crd', 9), kind: 'session' } });
    return ok({ secret, expiresAt: LATER });
  };
  const visible = (viewer: Caller, decisionId: string): Result<Decision> => {
    const decision = decisions.get(decisionId);
    const mine =
      decision !== undefined && (decision.answerBy.includes(viewer.principal?.name ?? '') || decision.agent === viewer.agent?.name);
    return mine ? ok(decision) : fail('not_found', 'There is no such decision, or it is not yours.');
  };
  const answer = (
    viewer: Caller,
    decisionId: string,
    input: { version: number; effect: string; shownDigest: string },
  ): Result<Decision> => {
    const found = visible(viewer, decisionId);
    if (!found.ok) return found;
    const by = viewer.principal?.name ?? '';
    if (found.value.state !== 'pending') return fail('decision.already_answered', `ben ${found.value.state} it.`, { by: 'ben', at: AT });
    if (found.value.version !== input.version)
      return fail('decision.stale', 'It changed since you read it.', { version: found.value.version, by: 'ben', at: AT });
    if (found.value.shownDigest !== input.shownDigest)
      return fail('decision.digest_mismatch', 'What you were shown is not what would run.');
    const settled = {
      ...found.value,
      version: found.value.version + 1,
      allowed: [],
      state: input.effect === 'approve' ? 'approved' : 'refused',
      settledAt: AT,
    } as Decision;
    decisions.set(decisionId, settled);
    for (const listener of listeners)
      listener({ type: 'decision', id: decisionId, state: settled.state, version: settled.version, seenBy: [by] });
    return ok(settled);
  };

  const operations: Operations = {
    async resolveCaller(secret) {
      const found = secret === null ? undefined : (CALLERS[secret] ?? sessions.get(secret));
      return found === undefined ? fail('credential.invalid', 'The credential is unknown, expired or revoked.') : ok(found);
    },
    isOperator: (secret) => secret === TOKENS.operator,
    async recordForbidden(doer, attempt) {
      forbidden.push({ by: nameOf(doer), ...attempt });
    },
    listDecisions: async (viewer) => page([...decisions.values()].filter((one) => visible(viewer, one.id).ok)),
    listDecisionRows: async (viewer) => {
      const items = [...decisions.values()].filter((one) => visible(viewer, one.id).ok).map(rowOf);
      return ok({ items, nextCursor: null, total: items.length });
    },
    getDecision: async (viewer, decisionId) => visible(viewer, decisionId),
    answerDecision: async (viewer, decisionId, input) => answer(viewer, decisionId, input),
    answerDecisions: async (viewer, { answers }) => ({
      items: answers.map((one) => ({ id: one.id, result: answer(viewer, one.id, one) })),
    }),
    extendDecision: async (viewer, decisionId) => visible(viewer, decisionId),
    withdrawDecision: async (viewer, decisionId) => visible(viewer, decisionId),
    describeRules: () => ({ digest: DIGEST, rules: [], tools: [] }),
    tryCall: () => ok({ effect: 'ask', grounds: [], considered: [], schemaProblem: "arguments must have required property 'amount'" }),
    describeTool: async (key) => (key === A_TOOL.tool ? ok(A_TOOL) : fail('tool.unknown', `There is no tool ${key}.`)),
    readStats: async (_principal, { tz }) =>
      ok({
        since: AT,
        until: LATER,
        total: TALLY,
        pending: 1,
        days: [{ day: '2026-11-30', ...TALLY }],
        rules: [],
        agents: [{ name: tz, ...TALLY }],
      }),
    listAgents: async () => page([anAgent()]),
    createAgent: async (_doer, { name }) => ok(anAgent(name)),
    admitAgent: async (_doer, name) =>
      name === 'researcher' ? ok(anAgent()) : fail('not_found', 'There is no such agent, or it is not yours.'),
    suspendAgent: async (_doer, name) => ok({ ...anAgent(name), status: 'suspended' }),
    listCredentials: async () => page([]),
    issueCredential: async () => ok({ token: `csa_${randomBytes(32).toString('hex')}`, id: id('crd', 5) as never, expiresAt: null }),
    revokeCredential: async () => ok(null),
    listPrincipals: async () => page([]),
    createPrincipal: async (_doer, { name, displayName }) => ok({ id: id('prn', 3) as never, name, displayName, email: null }),
    principalOf: async ({ principal }) =>
      ok({ id: id('prn', 1) as never, name: principal?.name ?? '', displayName: principal?.displayName ?? '', email: null }),
    issueLoginLink: async () => ok({ token: 'login-token-ada', expiresAt: LATER }),
    async redeemLogin(token) {
      const of = CALLERS[links.get(token) ?? ''];
      links.delete(token);
      return of === undefined ? fail('credential.invalid', 'This link was used, or is too old.') : openSession(of);
    },
    openSession: async (of) => openSession(of),
    async endSession({ principal }) {
      for (const [secret, held] of sessions) if (held.principal?.name === principal?.name) sessions.delete(secret);
    },
    getMandate: async () => ok(mandate),
    async setMandate(_principal, terms, ifMatch) {
      if (ifMatch !== mandate.version) return fail('conflict', 'The mandate changed since you read it.', { version: mandate.version });
      mandate = { ...terms, version: ifMatch + 1, madeBy: 'ada', createdAt: AT };
      return ok(mandate);
    },
    previewMandate: async (_principal, { days }) =>
      ok({
        compared: 'widened',
        warnings: [`${days} days`],
        judged: 1,
        unjudged: 0,
        changed: [{ call: id('call', 1) as never, tool: A_TOOL.tool, agent: 'researcher', at: AT, was: 'ask', now: 'allow' }],
      }),
    queryAudit: async () => page([]),
    hostState,
    async freezeHost() {
      frozen = true;
      return ok(hostState());
    },
    async thawHost() {
      frozen = false;
      return ok(hostState());
    },
    findFindings: async () => ({ checkedAt: AT, findings: [] }),
    reloadConfig: async () => ok({ digest: DIGEST, rules: 0, warnings: [] }),
    readiness: async () => ({ ready, checks: [{ name: 'store', ok: ready }] }),
    async idempotent(key, doer, digest, run) {
      const place = `${nameOf(doer)} ${key}`;
      const before = stored.get(place);
      if (before !== undefined && before.digest !== digest)
        return fail('idempotency.conflict', 'This Idempotency-Key came with another body.');
      if (before !== undefined) return ok(before.answer);
      const { now, later } = await run();
      if (later !== null)
        stored.set(place, { digest, answer: { status: later.status, body: JSON.parse(JSON.stringify(later.body ?? null)) } });
      return ok(now);
    },
  };

  /** Notes each operation, and lets a test make the next one fail or throw. */
  const watched = new Proxy(operations, {
    get(target, name: keyof Operations) {
      const operation = target[name] as (...args: unknown[]) => unknown;
      const passes = ['resolveCaller', 'isOperator', 'recordForbidden', 'idempotent'].includes(name);
      return (...args: unknown[]) => {
        calls.push({ name, args });
        const failure = failNext;
        if (passes || failure === null) return operation.apply(target, args);
        failNext = null;
        if (failure instanceof Error) return Promise.reject(failure);
        return Promise.resolve({ ok: false, error: failure });
      };
    },
  });

  return {
    operations: watched,
    calls,
    forbidden,
    decisions,
    stored,
    announce: (notice: ChangeNotice) => {
      for (const listener of listeners) listener(notice);
    },
    listenerCount: () => listeners.size,
    failNextWith: (code: ErrorCode, detail?: Record<string, unknown>) => {
      failNext = { code, message: `failed with ${code}`, ...(detail === undefined ? {} : { detail }) };
    },
    throwNext: (error: Error) => {
      failNext = error;
    },
    beUnready: () => {
      ready = false;
    },
    revoke: (secret: string) => sessions.delete(secret),
    changes: {
      subscribe(listener: (notice: ChangeNotice) => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
};

export type FakeHost = ReturnType<typeof fakeHost>;
type Mcp = (request: IncomingMessage, response: ServerResponse, body: Buffer | null) => Promise<void>;

export const depsOf = (host: FakeHost, { settings = {}, mcp }: { settings?: Partial<ServerSettings>; mcp?: Mcp } = {}): ServerDeps => ({
  operations: host.operations,
  mcp: {
    handle:
      mcp ??
      (async (_request, response, body) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).end(body === null ? 'no body' : body.toString('hex'));
      }),
  },
  changes: host.changes,
  readJson: (bytes) => {
    try {
      return ok({ value: JSON.parse(Buffer.from(bytes).toString('utf8')) });
    } catch {
      return fail('ingress.not_json', 'The body is not JSON.');
    }
  },
  log: Fastify({ logger: { level: 'silent' } }).log,
  config: { publicUrl: `http://${HOST}`, host: '127.0.0.1', port: 7420, requestsPerMinute: 10_000, bodyBytes: 64 * 1024, ...settings },
  staticDir: new URL('../public', import.meta.url).pathname,
  version: '0.0.0',
});
