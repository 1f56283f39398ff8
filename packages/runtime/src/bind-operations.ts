/** The engine's operations with their `deps` bound, in the shape that the HTTP API asks for. Nothing is decided here. */
import {
  type Agent,
  type AgentInput,
  type Config,
  type CredentialInput,
  fail,
  ok,
  type PrincipalInput,
  type Readiness,
  type ReloadReport,
  type Result,
} from '@countersign/contracts';
import {
  actingName,
  admitAgent,
  answerDecision,
  answerDecisions,
  type Caller,
  createAgent,
  createPrincipal,
  type Doer,
  describeRules,
  describeTool,
  type EngineDeps,
  extendDecision,
  findFindings,
  findPrincipalByName,
  freezeHost,
  getMandate,
  hostState,
  idempotent,
  issueAgentCredential,
  issueLoginLink,
  issuePrincipalToken,
  listAgents,
  listCredentials,
  listDecisionRows,
  listDecisions,
  listPrincipals,
  openSession,
  previewMandate,
  queryAudit,
  readDecision,
  readStats,
  recordForbidden,
  recordRejected,
  redeemLogin,
  revokeCredential,
  setMandate,
  suspendAgent,
  thawHost,
  tryCall,
  withdrawDecision,
} from '@countersign/engine';
import { isSameSecret } from './operator-secret.ts';

export type HostParts = {
  readonly deps: EngineDeps;
  readonly operatorSecret: string;
  /** The config as it was read last. */
  readonly config: () => Config;
  readonly reload: (doer: Doer) => Promise<Result<ReloadReport, 'config.invalid'>>;
  readonly readiness: () => Promise<Readiness>;
};

export type Operations = ReturnType<typeof bindOperations>;

const FORBIDDEN = 'Only the operator, or the principal itself, does this.';
/** Keys of one doer never meet another's: an agent has its own, apart from its principal's. */
const doerKey = (doer: Doer): string => ('caller' in doer ? `${doer.caller.lane} ${actingName(doer.caller)}` : 'operator');
const ownPrincipal = (doer: Doer): string | null => ('caller' in doer ? (doer.caller.principal?.name ?? null) : null);

export function bindOperations({ deps, operatorSecret, config, reload, readiness }: HostParts) {
  /** An id that is nobody's, or somebody else's, stands in the log alike. */
  async function noted<Value>(caller: Caller, route: string, id: string, asked: Promise<Result<Value>>): Promise<Result<Value>> {
    const answer = await asked;
    if (!answer.ok && answer.error.code === 'not_found') await recordRejected(deps, caller, { route, code: 'not_found', args: { id } });
    return answer;
  }

  return {
    resolveCaller: (secret: string | null) => deps.authority.resolve(secret),
    isOperator: (secret: string) => isSameSecret(secret, operatorSecret),
    recordForbidden: (doer: Doer, attempt: { readonly route: string; readonly id: string | null }) => recordForbidden(deps, doer, attempt),

    listDecisions: (viewer: Caller, query: Parameters<typeof listDecisions>[2]) => listDecisions(deps, viewer, query),
    listDecisionRows: (viewer: Caller, query: Parameters<typeof listDecisionRows>[2]) => listDecisionRows(deps, viewer, query),
    getDecision: (viewer: Caller, id: string) => noted(viewer, 'GET decisions/:id', id, readDecision(deps, viewer, id)),
    answerDecision: (caller: Caller, id: string, input: Parameters<typeof answerDecision>[3]) =>
      noted(caller, 'POST decisions/:id/answer', id, answerDecision(deps, caller, id, input)),
    answerDecisions: (caller: Caller, input: Parameters<typeof answerDecisions>[2]) => answerDecisions(deps, caller, input),
    extendDecision: (caller: Caller, id: string, input: Parameters<typeof extendDecision>[3]) => extendDecision(deps, caller, id, input),
    withdrawDecision: (caller: Caller, id: string, reason: string) =>
      noted(caller, 'POST decisions/:id/withdraw', id, withdrawDecision(deps, caller, id, reason)),

    describeRules: () => describeRules(deps),
    tryCall: (viewer: Caller, input: Parameters<typeof tryCall>[2]) => tryCall(deps, viewer, input),
    describeTool: (key: string) => describeTool(deps, key),
    readStats: (caller: Caller, query: Parameters<typeof readStats>[2]) => readStats(deps, caller, query),

    listAgents: async (doer: Doer) => ok(await listAgents(deps, ownPrincipal(doer))),
    createAgent: async (doer: Doer, input: AgentInput): Promise<Result<Agent>> => {
      const own = ownPrincipal(doer);
      const principal = input.principal ?? own;
      if (!principal) return fail('input.invalid', 'Name the principal that this agent acts for.');
      if (own !== null && own !== principal) return fail('credential.forbidden', 'You make agents that act for you, not for others.');
      return createAgent(deps, doer, { name: input.name, principal, description: input.description });
    },
    admitAgent: (doer: Doer, name: string) => admitAgent(deps, doer, name),
    suspendAgent: (doer: Doer, name: string) => suspendAgent(deps, doer, name),

    listCredentials: (doer: Doer, agent: string) => listCredentials(deps, doer, agent),
    issueCredential: async (doer: Doer, holder: { readonly agent: string } | { readonly principal: string }, input: CredentialInput) => {
      if ('agent' in holder) return issueAgentCredential(deps, doer, holder.agent, input);
      if (!('operator' in doer)) return fail('credential.forbidden', FORBIDDEN);
      return issuePrincipalToken(deps, doer, holder.principal, input);
    },
    revokeCredential: (doer: Doer, id: string) => revokeCredential(deps, doer, id),

    listPrincipals: async () => ok(await listPrincipals(deps)),
    createPrincipal: (doer: Doer, input: PrincipalInput) => createPrincipal(deps, doer, input),
    principalOf: async (caller: Caller) => {
      const principal = caller.principal && (await findPrincipalByName(deps, caller.principal.name));
      return principal ? ok(principal) : fail('not_found', 'There is no such principal.');
    },

    issueLoginLink: (doer: Doer, principal: string) => issueLoginLink(deps, doer, principal),
    redeemLogin: (token: string) => redeemLogin(deps, token),
    openSession: async (caller: Caller) =>
      caller.principal && !caller.agent
        ? ok(await openSession(deps, caller.principal.name))
        : fail('credential.forbidden', 'Only a principal opens a session; this is an agent’s credential.'),
    endSession: async (caller: Caller) => {
      if (caller.credential?.kind === 'session') await revokeCredential(deps, { caller }, caller.credential.id);
    },

    getMandate: (caller: Caller) => getMandate(deps, caller),
    setMandate: (caller: Caller, terms: Parameters<typeof setMandate>[2], ifMatch: number) => setMandate(deps, caller, terms, ifMatch),
    previewMandate: (caller: Caller, input: Parameters<typeof previewMandate>[2]) => previewMandate(deps, caller, input),

    queryAudit: (viewer: Caller, query: Parameters<typeof queryAudit>[2]) => queryAudit(deps, { caller: viewer }, query),

    hostState: () => hostState(deps),
    freezeHost: async (doer: Doer, reason: string) => ok(await freezeHost(deps, doer, reason)),
    thawHost: (doer: Doer) => thawHost(deps, doer),
    reloadConfig: reload,
    findFindings: (doer: Doer) => findFindings(deps, doer, config()),
    readiness,
    idempotent: (key: string, doer: Doer, bodyDigest: string, run: Parameters<typeof idempotent>[3]) =>
      idempotent(deps, `${doerKey(doer)} ${key}`, bodyDigest, run),
  };
}
