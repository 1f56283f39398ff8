import { canonicalize } from '@countersign/audit';
import { type CallId, type DecisionId, fail, type Ground, ok, type Result, type RunId } from '@countersign/contracts';
import { type CallLife, withinDeadline } from '@countersign/core';
import {
  appendAudit,
  type CallRecord,
  countPending,
  type DecisionRecord,
  findAttachable,
  holdRunOpen,
  insertCall,
  insertDecisions,
  markCall,
  markSuperseded,
  mintId,
  type OutboxRecord,
  putOutbox,
  readHost,
  type Transaction,
} from '@countersign/store';
import { callerActor } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { toolConfig } from './deps.ts';
import { digestOf } from './digest.ts';
import { actingName, type Judgement, type Work } from './judge.ts';
import { seenContext } from './work.ts';

/** What came of holding a call. `stale`: the authority moved on, judge again. `attached`: an identical call is open already. */
export type Held =
  | { readonly kind: 'held'; readonly call: CallId; readonly mayHaveRun: false; readonly decisions: readonly DecisionRecord[] }
  | { readonly kind: 'attached'; readonly call: CallId; readonly mayHaveRun: boolean }
  | { readonly kind: 'stale' };

/** A group of grounds that the same principals answer. */
type Part = { readonly answerBy: readonly string[]; readonly grounds: readonly Ground[] };

/**
 * Holds a call: its row, one decision for each group of principals that its grounds belong to, their events and their deadlines, in one
 * transaction. An identical call of the same agent that is still open, or whose outcome was not fetched yet, is attached to instead.
 * @returns `decision.nobody_to_ask` when a ground names nobody who exists (C10), `limit.reached` when the agent asks too much.
 */
export async function raiseDecision(
  deps: EngineDeps,
  caller: Caller,
  work: Work,
  judgement: Judgement,
  claimed: string | null,
): Promise<Result<Held, 'decision.nobody_to_ask' | 'limit.reached'>> {
  const agent = actingName(caller);
  const { principals } = await deps.authority.host('cached');
  const parts = partsOf(judgement.verdict.grounds, caller.principal?.name ?? '');
  const missing = parts.find((part) => reachable(part, principals).length < neededBy(part));
  if (missing) {
    return fail(
      'decision.nobody_to_ask',
      `This needs ${neededBy(missing)} of ${missing.answerBy.join(', ') || 'nobody'} to approve, and not that many of them exist here.`,
    );
  }
  const call = callRecord(deps, caller, work, judgement, claimed);
  return await deps.store.transact(async (tx) => {
    // Before anything is attached to: what was approved goes to whoever still has a right to it.
    const { authority, frozen } = await readHost(tx);
    if (authority !== judgement.authority) return ok({ kind: 'stale' });
    const attached = await findAttachable(tx, agent, call.tool, call.argsDigest, work.chain.length > 1 ? work.run : null, call.createdAt);
    if (attached) {
      await markCall(tx, attached.id, 'told', deps.now());
      return ok({ kind: 'attached', call: attached.id, mayHaveRun: attached.life.mayHaveRun });
    }
    if (!(await holdRunOpen(tx, work.run, frozen?.at ?? call.createdAt))) return ok({ kind: 'stale' });
    const limit = deps.config().limits.pending_per_agent;
    if ((await countPending(tx, agent)) >= limit) {
      return fail('limit.reached', `${agent} has ${limit} decisions open already. Wait for answers, or withdraw some.`);
    }
    await insertCall(tx, call);
    await appendAudit(tx, [
      {
        type: 'call.held',
        at: call.createdAt,
        actor: callerActor(caller),
        ...about(call),
        payload: {
          tool: call.tool,
          argsDigest: call.argsDigest,
          rulesDigest: call.rulesDigest,
          toolDigest: call.toolDigest,
          grounds: call.grounds,
        },
      },
    ]);
    const decisions = await raiseParts(deps, tx, {
      call,
      work,
      title: judgement.title,
      parts,
      args: judgement.args,
      claimed,
      supersedes: [],
    });
    return ok({ kind: 'held', call: call.id, mayHaveRun: false, decisions });
  });
}

/** Raises the decisions of a call whose row stands, in the caller's transaction; used for a fresh call and for one whose approval was voided. */
export async function raiseParts(
  deps: EngineDeps,
  tx: Transaction,
  ask: {
    readonly call: CallRecord;
    readonly work: Work;
    readonly title: string;
    readonly parts: readonly Part[];
    readonly args: unknown;
    readonly claimed: string | null;
    /** Decisions that these take the place of. */
    readonly supersedes: readonly DecisionId[];
  },
): Promise<readonly DecisionRecord[]> {
  const context = { seen: await seenContext(tx, ask.work), claimed: ask.claimed };
  const decisions = ask.parts.map((part) => decisionRecord(deps, ask, part, context));
  await insertDecisions(tx, decisions);
  const [first] = decisions;
  if (first) await markSuperseded(tx, ask.supersedes, first.id);
  await appendAudit(
    tx,
    decisions.map((decision) => ({
      type: 'decision.raised' as const,
      at: decision.createdAt,
      actor: { kind: 'host' as const, name: 'gate' },
      ...about(ask.call),
      principal: decision.principal,
      decision: decision.id,
      payload: {
        kind: decision.kind,
        title: decision.title,
        answerBy: decision.question.answerBy,
        shownDigest: decision.question.shownDigest,
        grounds: decision.grounds,
        expiresAt: decision.state.expiresAt,
        supersedes: decision.supersedes,
      },
    })),
  );
  await putOutbox(tx, decisions.map(deadline));
  return decisions;
}

/** Enforced grounds, grouped by who answers them, the strictest first. */
export function partsOf(grounds: readonly Ground[], principal: string): readonly Part[] {
  const parts = new Map<string, { answerBy: readonly string[]; grounds: Ground[] }>();
  for (const ground of grounds) {
    if (ground.mode === 'shadow') continue;
    const answerBy = ground.answerBy.length > 0 ? [...ground.answerBy].sort() : [principal];
    const key = answerBy.join(' ');
    const part = parts.get(key) ?? { answerBy, grounds: [] };
    part.grounds.push(ground);
    parts.set(key, part);
  }
  return [...parts.values()];
}

/** Wakes the relay only near the deadline: most decisions are answered long before, and then the row is gone. */
const RELAY_AHEAD_MS = 10_000;
export const deadline = (decision: DecisionRecord): OutboxRecord => ({
  job: 'expire',
  subject: decision.id,
  runAt: decision.state.expiresAt,
  relayAt: new Date(Date.parse(decision.state.expiresAt) - RELAY_AHEAD_MS).toISOString(),
});

/** How many different principals must approve it. */
export const neededBy = (part: Part): number => Math.max(...part.grounds.map((ground) => ground.needs));
const reachable = (part: Part, principals: ReadonlySet<string>): readonly string[] => part.answerBy.filter((name) => principals.has(name));

/** The ids that every event about a decision carries. */
export const aboutDecision = ({ principal, agent, run, call, id }: DecisionRecord) => ({ principal, agent, run, call, decision: id });

/** The ids that every event about a call carries. */
export const about = (call: CallRecord) => ({ principal: call.principal, agent: call.agent, run: call.run, call: call.id });

/** A call's row as it is judged: `running` when it may run at once, `refused` when it may not, `held` when a person decides. */
export function callRecord(deps: EngineDeps, caller: Caller, work: Work, judgement: Judgement, claimed: string | null): CallRecord {
  const { effect, grounds } = judgement.verdict;
  const at = deps.now();
  const state = effect === 'allow' ? 'running' : effect === 'ask' ? 'held' : 'refused';
  const life: CallLife = { state, version: 1, attempt: 0, lease: null, mayHaveRun: false };
  return {
    id: mintId('call'),
    agent: actingName(caller),
    principal: caller.principal?.name ?? '',
    run: work.run as RunId,
    tool: judgement.tool.key,
    args: canonicalize(judgement.args),
    argsDigest: digestOf(judgement.args),
    effectiveArgs: null,
    toolDigest: judgement.tool.digest,
    rulesDigest: judgement.rulesDigest,
    authority: judgement.authority,
    mandateVersions: judgement.mandateVersions,
    effect,
    grounds,
    claimed,
    life,
    cause: null,
    reason: null,
    result: null,
    toldAt: null,
    deliveredAt: null,
    isIdempotent: toolConfig(deps.config().tools, judgement.tool.key)?.idempotent ?? false,
    countedBy: [],
    createdAt: at,
    finishedAt: state === 'refused' ? at : null,
  };
}

function decisionRecord(
  deps: EngineDeps,
  ask: Parameters<typeof raiseParts>[2],
  part: Part,
  context: DecisionRecord['context'],
): DecisionRecord {
  const { call, work } = ask;
  const now = deps.now();
  const later = (ms: number): string => new Date(Date.parse(now) + ms).toISOString();
  // One deadline for all that the call needs: after the earliest an answer to the others could lead nowhere.
  const waitsMs = Math.min(...ask.parts.flatMap(({ grounds }) => grounds.map((ground) => ground.expiresMs)));
  const reminders = part.grounds.flatMap((ground) => ground.remindMs ?? []);
  const shown = {
    tool: call.tool,
    toolDigest: call.toolDigest,
    arguments: ask.args,
    title: ask.title,
    agent: call.agent,
    principal: call.principal,
    chain: work.chain,
    grounds: part.grounds,
    context,
  };
  return {
    id: mintId('dec'),
    kind: 'call',
    call: call.id,
    request: null,
    tool: call.tool,
    title: ask.title,
    principal: part.answerBy.includes(call.principal) ? call.principal : (part.answerBy[0] ?? call.principal),
    agent: call.agent,
    run: call.run,
    chain: work.chain,
    grounds: part.grounds,
    context,
    question: {
      answerBy: part.answerBy,
      needs: neededBy(part),
      shownDigest: digestOf(shown),
      irreversible: part.grounds.some((ground) => ground.irreversible),
    },
    state: {
      state: 'pending',
      version: 1,
      approvals: [],
      expiresAt: withinDeadline(later(waitsMs), work.expiresAt),
    },
    settledReason: null,
    supersedes: ask.supersedes[0] ?? null,
    supersededBy: null,
    afterRefusalOf: null,
    createdAt: now,
    remindAt: reminders.length > 0 ? later(Math.min(...reminders)) : null,
  };
}
