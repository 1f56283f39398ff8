import type { ErrorCode, Result } from '@countersign/contracts';
import {
  answerQuestion,
  askAgent,
  awaitConsult,
  type CallEnd,
  type Caller,
  type ConsultEnd,
  callTool,
  enterRun,
  type JsonObject,
  type NextQuestion,
  nextQuestion,
  takeNotes,
  withdrawConsult,
} from '@countersign/engine';
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

const ATONCE = { waitMs: 0, signal: new AbortController().signal };

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
      askAgent(deps, typeof asker === 'string' ? await host.caller(asker) : asker, { agent, question, origin }, ATONCE),
    fetch: async (asker: string | Caller, consult: string, wait = ATONCE) =>
      awaitConsult(deps, typeof asker === 'string' ? await host.caller(asker) : asker, consult, wait),
    withdraw: async (asker: string | Caller, consult: string, reason = 'no longer needed') =>
      withdrawConsult(deps, typeof asker === 'string' ? await host.caller(asker) : asker, consult, reason),
    next: async (agent: string | Caller, wait = ATONCE): Promise<NextQuestion | null> =>
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
