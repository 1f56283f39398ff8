import type { ErrorCode, MandateTerms, Result } from '@countersign/contracts';
import {
  answerQuestion,
  askAgent,
  awaitConsult,
  type CallEnd,
  type Caller,
  type ConsultEnd,
  callTool,
  enterRun,
  getMandate,
  issueAgentCredential,
  type JsonObject,
  type NextQuestion,
  nextQuestion,
  setMandate,
  takeNotes,
  type Wait,
  withdrawConsult,
} from '@countersign/engine';
import { queryAudit } from '@countersign/store';
import type { TestHost, TestHostOptions } from '@countersign/testkit';

const EVERYTHING = [{ tool: '*', when: 'anything' }];
const SCOPES = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'] as const;
export type Mandate = { readonly terms?: readonly { tool: string; when: string; match?: string }[]; readonly scopes?: readonly string[] };

/** ada's editor and researcher, ben's treasurer, cy's clerk, dee's auditor: five members of four principals. */
export const fourPrincipals = (mandates: Readonly<Record<string, Mandate>> = {}): Pick<TestHostOptions, 'config'> => {
  const principal = (name: string) => ({
    name,
    mandate: { scopes: [...(mandates[name]?.scopes ?? SCOPES)], terms: [...(mandates[name]?.terms ?? EVERYTHING)] },
  });
  const agent = (of: string) => ({ principal: of, status: 'member', description: '' });
  const config = {
    principals: { ada: principal('ada'), ben: principal('ben'), cy: principal('cy'), dee: principal('dee') },
    agents: { editor: agent('ada'), researcher: agent('ada'), treasurer: agent('ben'), clerk: agent('cy'), auditor: agent('dee') },
  };
  return { config: config as unknown as NonNullable<TestHostOptions['config']> };
};

const AT_ONCE: Wait = { waitMs: 0, signal: new AbortController().signal };

/** An agent at work on a question: the caller that its run token makes of it. */
export type AtWork = { readonly question: NextQuestion; readonly caller: Caller };

/** The operations of a consult, as requests of agents would make them. */
export function consults(host: TestHost) {
  const { deps } = host;
  const value = <Value>(result: Result<Value, ErrorCode>): Value => {
    if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
    return result.value;
  };
  const words = {
    ask: async (asker: string | Caller, agent: string, question: string, origin = 'standing'): Promise<Result<ConsultEnd, ErrorCode>> =>
      askAgent(deps, typeof asker === 'string' ? await host.caller(asker) : asker, { agent, question, origin }, AT_ONCE),
    fetch: async (asker: string | Caller, consult: string, wait = AT_ONCE) =>
      awaitConsult(deps, typeof asker === 'string' ? await host.caller(asker) : asker, consult, wait),
    withdraw: async (asker: string | Caller, consult: string, reason = 'no longer needed') =>
      withdrawConsult(deps, typeof asker === 'string' ? await host.caller(asker) : asker, consult, reason),
    next: async (agent: string | Caller, wait = AT_ONCE): Promise<NextQuestion | null> =>
      value(await nextQuestion(deps, typeof agent === 'string' ? await host.caller(agent) : agent, wait)),
    enter: async (agent: string | Caller, runToken: string) =>
      enterRun(deps, typeof agent === 'string' ? await host.caller(agent) : agent, runToken),
    answer: async (agent: string | Caller, consult: string, answer: string) =>
      answerQuestion(deps, typeof agent === 'string' ? await host.caller(agent) : agent, consult, answer),
    notes: async (agent: string) => takeNotes(deps, await host.caller(agent)),
    /** The agent claims its next question and enters its run. */
    async take(agent: string): Promise<AtWork> {
      const question = await words.next(agent);
      if (!question) throw new Error(`No question waits for ${agent}.`);
      return { question, caller: value(await words.enter(agent, question.runToken)) };
    },
    /** Each asks the next one; returns every asked agent at work, outermost first. */
    async chain(root: string, ...agents: readonly string[]): Promise<readonly AtWork[]> {
      const atWork: AtWork[] = [];
      for (const agent of agents) {
        const asker = atWork.at(-1)?.caller ?? root;
        value(await words.ask(asker, agent, `What of ${agent}?`));
        atWork.push(await words.take(agent));
      }
      return atWork;
    },
    call: (caller: Caller, tool: string, args: JsonObject = {}, options: { waitMs?: number; onHeld?: () => void } = {}): Promise<CallEnd> =>
      callTool(
        deps,
        { ...caller, hold: { waitMs: options.waitMs ?? 0, waitWithProgressMs: options.waitMs ?? 0 } },
        {
          tool,
          args,
          claimed: null,
          origin: 'standing',
          hasProgress: false,
          signal: new AbortController().signal,
          ...(options.onHeld && { onHeld: () => options.onHeld?.() }),
        },
      ),
  };
  return words;
}

/** Events of these types, oldest first. */
export const eventsOf = async (on: TestHost, ...types: readonly string[]) => {
  const { items } = await queryAudit(on.deps.store.db, 'all', { limit: 200, order: 'oldest' });
  return items.filter(({ type }) => types.includes(type));
};

/** An agent with a fresh credential of its own, as its requests come in. */
export async function agentWith(on: TestHost, name: string) {
  const issued = await issueAgentCredential(on.deps, { operator: true }, name, { label: '' });
  if (!issued.ok) throw new Error(issued.error.message);
  const caller = await on.deps.authority.resolve(issued.value.token);
  if (!caller.ok) throw new Error(caller.error.message);
  return { caller: caller.value, id: issued.value.id };
}

/** Writes a principal's next mandate: its present one with these changes. */
export async function putMandate(on: TestHost, principal: string, terms: Partial<MandateTerms>): Promise<void> {
  const caller = await on.caller(principal);
  const before = await getMandate(on.deps, caller);
  if (!before.ok) throw new Error(before.error.message);
  const { scopes, terms: lines, version } = before.value;
  const written = await setMandate(on.deps, caller, { scopes, terms: lines, ...terms }, version);
  if (!written.ok) throw new Error(written.error.message);
}
