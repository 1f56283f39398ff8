/**
 * A question that an agent puts to its principal because no tool and no term covers what it wants. It becomes a decision like a held call
 * does; its words are the agent's, quoted and believed by nobody. Whatever the answer is, nothing runs and no mandate changes by it.
 */
import { type DecisionId, type ErrorCode, fail, type Ground, ok, type Result, type RunId, type Term } from '@countersign/contracts';
import { clip, compileMandate, hasEnded, isVisible, visibleLine, withinDeadline } from '@countersign/core';
import {
  answersOf,
  appendAudit,
  countPending,
  type DecisionRecord,
  type EarlierRequest,
  findAgent,
  findCall,
  findVisibleDecision,
  holdRunOpen,
  insertDecisions,
  lockAuthority,
  lockRequests,
  mintId,
  putOutbox,
  type Transaction,
} from '@countersign/store';
import { callerActor } from './actor.ts';
import { announceChange } from './announce.ts';
import type { CallEnd } from './call-end.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { digestOf } from './digest.ts';
import { rememberedSince } from './earlier-no.ts';
import { describeAnswer } from './end-of-question.ts';
import { actingName, hasTool, type Work } from './judge.ts';
import { aboutDecision, deadline } from './raise-decision.ts';
import { later } from './settle-call.ts';
import { viewOf } from './view.ts';
import { seenContext, workOf } from './work.ts';

const WAITS_MS = 24 * 3_600_000;
const SHOWN_ASK = 200;

/** What an agent asks. Every text is the agent's. */
export type RequestInput = {
  readonly ask: string;
  readonly why: string;
  /** A call or a decision of its own, or a tool that it has. */
  readonly about?: string | undefined;
  readonly proposedTerm?: Term | undefined;
  /** Names the piece of work, as for a call. */
  readonly origin: string;
};

/** What the question is about, as the server knows it. */
type About =
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly arguments: unknown; readonly state: string }
  | { readonly kind: 'decision'; readonly id: string; readonly title: string; readonly state: string }
  | { readonly kind: 'tool'; readonly tool: string };

/** A question that may be put. `digest`: what it asks, without its reasons: the same question for other reasons is the same question. */
type Question = {
  readonly agent: string;
  readonly principal: string;
  readonly work: Work;
  readonly input: RequestInput;
  readonly about: About | null;
  readonly digest: string;
};

/**
 * Puts the question in the queue of the caller's principal. The same question while it is open attaches to that decision; after a "no" it
 * gets that "no" again, with its note.
 * @returns `asked` or `answered`; `not_found` when `about` names nothing of the caller's, `mandate.invalid` (line and column) when the
 * proposed term does not compile, `limit.reached` when too many decisions of the agent are open.
 */
export async function requestDecision(deps: EngineDeps, caller: Caller, input: RequestInput): Promise<Result<CallEnd, ErrorCode>> {
  const principal = caller.principal?.name;
  if (principal === undefined)
    return fail('credential.missing', 'A question goes to a principal, and this request came without a credential.');
  const problem = problemOf(principal, input.proposedTerm, deps.now());
  if (problem) return problem;
  const about = input.about === undefined ? null : await findAbout(deps, caller, input.about);
  if (input.about !== undefined && !about) {
    return fail(
      'not_found',
      `There is no call, decision or tool ${clip(visibleLine(input.about), 120)} of yours that this could be about.`,
    );
  }
  const work = await workOf(deps, caller, input.origin, 'current');
  const question: Question = { agent: actingName(caller), principal, work, input, about, digest: questionDigest(input, about) };
  const put = await deps.store.transact((tx) => putQuestion(deps, tx, caller, question));
  if (put.ok && put.value.kind === 'asked') {
    announceChange(deps, { type: 'decision', id: put.value.decision.id, state: 'pending', version: 1, seenBy: [principal] });
  }
  return put;
}

async function putQuestion(deps: EngineDeps, tx: Transaction, caller: Caller, question: Question): Promise<Result<CallEnd, ErrorCode>> {
  const now = deps.now();
  // A suspension takes the same lock before it looks for what is open, so nothing is asked behind its back.
  await lockAuthority(tx);
  if (caller.agent && ((await findAgent(tx, question.agent))?.status ?? 'suspended') === 'suspended') {
    return fail('credential.invalid', `${question.agent} may not ask any more.`);
  }
  if (!(await holdRunOpen(tx, question.work.run, now))) {
    return fail('run.closed', 'The run that this belongs to is over, so nothing is asked in it any more.');
  }
  const earlier = await lockRequests(tx, question.agent, rememberedSince(now));
  const same = earlier.find(({ decision }) => decision.request?.digest === question.digest);
  if (same) {
    const end = describeAnswer(deps, same.decision, await answersOf(tx, [same.decision.id]));
    if (same.no) await recordRefused(tx, caller, question, { code: 'refused_by_principal', decision: same.decision.id }, now);
    return ok(end);
  }
  const limit = deps.config().limits.pending_per_agent;
  if ((await countPending(tx, question.agent)) >= limit) {
    await recordRefused(tx, caller, question, { code: 'limit.reached', decision: null }, now);
    return fail('limit.reached', `${question.agent} has ${limit} decisions open already. Wait for answers, or withdraw some.`);
  }
  const decision = await decisionRecord(tx, question, earlier, now);
  await insertDecisions(tx, [decision]);
  await appendAudit(tx, [
    {
      type: 'decision.raised',
      at: now,
      actor: callerActor(caller),
      ...aboutDecision(decision),
      payload: {
        kind: 'request',
        title: decision.title,
        request: decision.request,
        answerBy: decision.question.answerBy,
        shownDigest: decision.question.shownDigest,
        expiresAt: decision.state.expiresAt,
      },
    },
  ]);
  await putOutbox(tx, [deadline(decision)]);
  return ok(describeAnswer(deps, decision, []));
}

/** A question that became no decision is an event too. */
const recordRefused = (
  tx: Transaction,
  caller: Caller,
  { agent, principal, work, input, digest }: Question,
  { code, decision }: { readonly code: string; readonly decision: DecisionId | null },
  at: string,
): Promise<void> =>
  appendAudit(tx, [
    {
      type: 'request.refused',
      at,
      actor: callerActor(caller),
      principal,
      agent,
      run: work.run,
      decision,
      payload: { code, ask: input.ask, why: input.why, digest },
    },
  ]);

async function decisionRecord(
  tx: Transaction,
  { agent, principal, work, input, about, digest }: Question,
  earlier: readonly EarlierRequest[],
  now: string,
): Promise<DecisionRecord> {
  const title = `${agent} asks: ‹${clip(visibleLine(input.ask), SHOWN_ASK)}›`;
  const request = { ask: input.ask, why: input.why, about, proposedTerm: input.proposedTerm ?? null, digest };
  const grounds = groundsOf(agent, principal, input, earlier);
  const context = { seen: await seenContext(tx, work), claimed: input.why };
  const shownDigest = digestOf({ kind: 'request', title, request, agent, principal, chain: work.chain, grounds, context });
  return {
    id: mintId('dec'),
    kind: 'request',
    call: null,
    request,
    tool: null,
    title,
    principal,
    agent,
    run: work.run as RunId,
    chain: work.chain,
    grounds,
    context,
    question: { answerBy: [principal], needs: 1, shownDigest, irreversible: false },
    state: { state: 'pending', version: 1, approvals: [], expiresAt: withinDeadline(later(now, WAITS_MS), work.expiresAt) },
    settledReason: null,
    supersedes: null,
    supersededBy: null,
    afterRefusalOf: earlier.find(({ no }) => no)?.decision.id ?? null,
    createdAt: now,
    remindAt: null,
  };
}

function groundsOf(agent: string, principal: string, input: RequestInput, earlier: readonly EarlierRequest[]): readonly Ground[] {
  const base = { effect: 'ask', answerBy: [principal], needs: 1, expiresMs: WAITS_MS, irreversible: false, mode: 'enforce' } as const;
  const asks = input.proposedTerm
    ? `${agent} proposes a term that ${principal}'s mandate does not have. Approving does not add it: only ${principal}'s own hand does.`
    : `${agent} asks for something that no tool and no term covers.`;
  const refused = earlier.flatMap(({ no }) => no ?? []);
  const [latest] = refused;
  if (!latest) return [{ ...base, kind: 'term', reason: asks }];
  const note = latest.note ? `, with the note “${visibleLine(clip(latest.note, 500))}”` : '';
  const times = refused.length === 1 ? 'once' : `${refused.length} times`;
  const history = `Other questions of ${agent} were refused ${times} in the last days, the latest at ${latest.at}${note}.`;
  return [
    { ...base, kind: 'term', reason: asks },
    { ...base, kind: 'earlier_no', reason: history },
  ];
}

const questionDigest = ({ ask, proposedTerm }: RequestInput, about: About | null): string =>
  digestOf({
    ask: ask.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim(),
    about: about && (about.kind === 'tool' ? about.tool : about.id),
    term: proposedTerm ?? null,
  });

/** Why a proposed term can't be one; null when it can, or when none is proposed. */
function problemOf(principal: string, term: Term | undefined, now: string): Result<never, ErrorCode> | null {
  if (!term) return null;
  const compiled = compileMandate(principal, 1, { scopes: [], terms: [term] });
  if (!compiled.ok) return compiled;
  return hasEnded(term, now) ? fail('input.invalid', 'The proposed term would be over already.') : null;
}

/** What the question is about, if it is the caller's own. Whatever else exists answers like what does not. */
async function findAbout(deps: EngineDeps, caller: Caller, about: string): Promise<About | null> {
  if (about.startsWith('call_')) {
    const call = await findCall(deps.store.db, about);
    if (call?.agent !== actingName(caller)) return null;
    return { kind: 'call', id: call.id, tool: call.tool, arguments: JSON.parse(call.effectiveArgs ?? call.args), state: call.life.state };
  }
  if (about.startsWith('dec_')) {
    const decision = await findVisibleDecision(deps.store.db, viewOf(caller), about);
    return decision && { kind: 'decision', id: decision.id, title: decision.title, state: decision.state.state };
  }
  const hasIt = about.includes('__') ? hasTool(deps, caller, about) : isVisible(about, caller.scopes);
  return hasIt ? { kind: 'tool', tool: about } : null;
}
