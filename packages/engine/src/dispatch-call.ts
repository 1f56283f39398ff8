/**
 * Sends an approved call, at most once.
 *
 * The claim decides, never the job: whoever moves the row from `queued` to `executing` sends it. Before that, everything the approval stood
 * on is checked again as it is now; what changed voids the approval and goes back to the person, linked to the decision it came from.
 */
import type { Failure } from '@countersign/contracts';
import { advance } from '@countersign/core';
import {
  appendAudit,
  applyCall,
  type CallRecord,
  type DecisionRecord,
  decisionsOfCall,
  dropOutbox,
  findCall,
  heartbeat,
  lockAuthority,
  lockCall,
  putOutbox,
  readHost,
} from '@countersign/store';
import { announceCallState, announceSettled } from './after-settling.ts';
import { announceAuthority, announceChange } from './announce.ts';
import { outcomeOf } from './call-tool.ts';
import type { EngineDeps } from './deps.ts';
import { raiseOutcomeDecision } from './outcome-decision.ts';
import { about, partsOf, raiseParts } from './raise-decision.ts';
import { recheck, type Standing } from './recheck.ts';
import { keepWishes, wishesOf } from './remember.ts';
import { judgedBy, later, refuseCall, type Settled } from './settle-call.ts';
import { countUses } from './term-uses.ts';
import type { JsonObject, UpstreamFailure, UpstreamReply } from './upstreams.ts';

/** A lease outlives a missed heartbeat or two; a false reclaim would make a call unknown that is fine, so it is generous. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
/** Attempts of a call that never left (upstream down), each later than the last, until it fails and a person may retry it. */
const ATTEMPTS = 5;
const backoffMs = (attempt: number): number => 1_000 * 4 ** (attempt - 1);
const ROUNDS = 3;

const WORKER = { kind: 'host', name: 'dispatch' } as const;

/** Dispatches one call if it is queued; anything else is somebody else's, and nothing happens. Safe to run twice, late or at once. */
export async function dispatchCall(deps: EngineDeps, callId: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const claimed = await claim(deps, callId);
    if (claimed === 'stale') {
      deps.authority.forget();
      continue;
    }
    if (claimed) await send(deps, claimed.call, claimed.decisions);
    return;
  }
  // Authority keeps moving: the outbox row is still there, and the relay comes back to it.
}

/** A call that this worker holds the lease of, and the decisions that it stands on. */
type Claimed = { readonly call: CallRecord; readonly decisions: readonly DecisionRecord[] };

async function claim(deps: EngineDeps, callId: string): Promise<Claimed | 'stale' | null> {
  const call = await findCall(deps.store.db, callId);
  if (call?.life.state !== 'queued') return null;
  const decisions = await decisionsOfCall(deps.store.db, callId);
  const standing = await recheck(deps, call, decisions);
  if (standing.kind === 'waits') return null;
  if (standing.kind === 'stands') {
    const taken = await take(deps, call, standing);
    if (taken === 'stale' || taken === null) return taken;
    announceCallState(deps, taken, decisions);
    return { call: taken, decisions };
  }
  const settled =
    standing.kind === 'refused' ? await giveUp(deps, call, decisions, standing.error) : await reopen(deps, call, decisions, standing);
  if (settled === 'stale') return 'stale';
  await announceSettled(deps, settled);
  return null;
}

/** Moves the row to `executing` where it still is as it was judged: the intent of an approved call. */
async function take(
  deps: EngineDeps,
  call: CallRecord,
  { authority, limited }: Extract<Standing, { kind: 'stands' }>,
): Promise<CallRecord | 'stale' | null> {
  const now = deps.now();
  const until = later(now, LEASE_MS);
  const claimed = advance(call.life, { type: 'claim', owner: deps.instance, until });
  if (!claimed.ok) return null;
  const isCounted = limited.length > 0;
  let isLastUse = false;
  const taken = await deps.store.transact(async (tx) => {
    const current = isCounted ? await lockAuthority(tx) : (await readHost(tx)).authority;
    if (current !== authority) return 'stale';
    const changes = isCounted ? { countedBy: limited.map((term) => term.principal) } : {};
    if (!(await applyCall(tx, call.id, claimed.value.from, claimed.value.next, changes))) return null;
    if (isCounted) isLastUse = await countUses(tx, limited);
    await appendAudit(tx, [
      {
        type: claimed.value.event,
        at: now,
        actor: WORKER,
        ...about(call),
        payload: {
          attempt: claimed.value.next.attempt,
          owner: deps.instance,
          argsDigest: call.argsDigest,
          isEdited: call.effectiveArgs !== null,
        },
      },
    ]);
    return { ...call, ...changes, life: claimed.value.next };
  });
  if (isLastUse) announceAuthority(deps);
  return taken;
}

/** Calls that this process sent and awaits the end of. */
const inHand = new WeakMap<EngineDeps, Set<string>>();

async function send(deps: EngineDeps, call: CallRecord, decisions: readonly DecisionRecord[]): Promise<void> {
  const args = JSON.parse(call.effectiveArgs ?? call.args) as JsonObject;
  const beat = setInterval(() => {
    const until = later(deps.now(), LEASE_MS);
    heartbeat(deps.store.db, call.id, deps.instance, until).catch((error: unknown) =>
      deps.log.warn({ err: error, call: call.id }, 'A lease could not be prolonged'),
    );
  }, HEARTBEAT_MS);
  const held = inHand.get(deps) ?? new Set<string>();
  inHand.set(deps, held.add(call.id));
  try {
    const answer = await deps.upstreams.call(call.tool, args, { idempotencyKey: call.id, digest: call.toolDigest });
    await announceSettled(deps, await record(deps, call, answer), decisions);
  } finally {
    clearInterval(beat);
    held.delete(call.id);
  }
}

type UpstreamAnswer = { readonly ok: true; readonly value: UpstreamReply } | { readonly ok: false; readonly error: UpstreamFailure };

/** Records what came of an attempt: the end, or another try when it certainly did not leave or the host declared the tool idempotent. */
async function record(deps: EngineDeps, call: CallRecord, answer: UpstreamAnswer): Promise<Settled> {
  const now = deps.now();
  const outcome = outcomeOf(answer);
  const wishes = outcome.state === 'done' ? await wishesOf(deps.store.db, call) : [];
  let remembering: readonly string[] = [];
  const settled = await deps.store.transact(async (tx) => {
    if (wishes.length > 0) await lockAuthority(tx);
    const mayRetry = !answer.ok && call.life.attempt < ATTEMPTS;
    const released = mayRetry && advance(call.life, { type: 'release', sent: answer.error.sent, idempotent: call.isIdempotent });
    if (released !== false && released.ok) {
      if (!(await applyCall(tx, call.id, released.value.from, released.value.next))) return nothingSettled;
      const runAt = later(now, backoffMs(call.life.attempt));
      await appendAudit(tx, [
        {
          type: released.value.event,
          at: now,
          actor: WORKER,
          ...about(call),
          payload: { ...outcome.payload, attempt: call.life.attempt, runAt },
        },
      ]);
      // The promise stands until then: as long as it does, the reconciler leaves the call alone.
      await putOutbox(tx, [{ job: 'dispatch', subject: call.id, runAt, relayAt: runAt }]);
      // Not `isQueued`: it is sent when its time comes, not at once.
      return { call: { ...call, life: released.value.next }, isQueued: false, decisions: [] };
    }
    const owner = call.life.lease?.owner ?? null;
    const command =
      outcome.state === 'done'
        ? ({ type: 'complete', owner } as const)
        : outcome.state === 'failed'
          ? ({ type: 'fail', owner, answered: answer.ok } as const)
          : ({ type: 'lose' } as const);
    const ended = advance(call.life, command);
    if (!ended.ok) throw new Error(`A call that is ${call.life.state} could not end.`);
    const isUnknown = ended.value.next.state === 'unknown';
    const isOfBefore = isUnknown && outcome.state === 'failed';
    const reason = isOfBefore
      ? `It could not be sent again (${outcome.reason}), and nobody knows what came of an attempt before.`
      : outcome.reason;
    const changes = { result: outcome.result, reason, finishedAt: now };
    if (!(await applyCall(tx, call.id, ended.value.from, ended.value.next, changes))) return nothingSettled;
    await appendAudit(tx, [
      { type: ended.value.event, at: now, actor: WORKER, ...about(call), payload: { ...outcome.payload, attempt: call.life.attempt } },
    ]);
    await dropOutbox(tx, 'dispatch', [call.id]);
    remembering = await keepWishes(tx, deps.config().tools, call, wishes, now);
    const finished = { ...call, life: ended.value.next };
    const asked = isUnknown ? [await raiseOutcomeDecision(tx, finished, reason ?? 'Nobody knows what came of it.', now)] : [];
    return { call: finished, isQueued: false, decisions: asked };
  });
  if (remembering.length > 0) announceAuthority(deps);
  for (const name of remembering) announceChange(deps, { type: 'mandate', id: name, seenBy: [name] });
  return settled;
}

const nothingSettled: Settled = { call: null, isQueued: false, decisions: [] };

/** The approval no longer covers it and nothing would allow it: refused, naming the decision. */
async function giveUp(deps: EngineDeps, call: CallRecord, decisions: readonly DecisionRecord[], error: Failure): Promise<Settled> {
  const now = deps.now();
  const cause = error.code === 'decision.expired' ? 'expired' : error.code === 'run.closed' ? 'withdrawn' : 'refused_by_rule';
  return await deps.store.transact(async (tx) => {
    const locked = await lockCall(tx, call.id);
    if (locked?.life.version !== call.life.version) return nothingSettled;
    const decision = decisions.at(-1)?.id ?? null;
    await refuseCall(tx, locked, { cause, reason: error.message, actor: WORKER, decision }, now);
    return { call, isQueued: false, decisions: [] };
  });
}

/** The gate asks more than was answered: the call is held again, its new decisions linked to the ones that they replace. */
async function reopen(
  deps: EngineDeps,
  call: CallRecord,
  decisions: readonly DecisionRecord[],
  standing: Extract<Awaited<ReturnType<typeof recheck>>, { kind: 'stricter' }>,
): Promise<Settled | 'stale'> {
  const now = deps.now();
  const { judgement } = standing;
  return await deps.store.transact(async (tx) => {
    if ((await readHost(tx)).authority !== judgement.authority) return 'stale';
    const opened = advance(call.life, { type: 'reopen' });
    const judged = judgedBy(judgement);
    if (!opened.ok || !(await applyCall(tx, call.id, opened.value.from, opened.value.next, { judged }))) return nothingSettled;
    const superseded = decisions.filter((decision) => decision.supersededBy === null).map((decision) => decision.id);
    await appendAudit(tx, [
      {
        type: opened.value.event,
        at: now,
        actor: WORKER,
        ...about(call),
        decision: superseded[0] ?? null,
        payload: { why: standing.why, voided: superseded, ...judged },
      },
    ]);
    await dropOutbox(tx, 'dispatch', [call.id]);
    const reopened = { ...call, ...judged, life: opened.value.next };
    const raised = await raiseParts(deps, tx, {
      call: reopened,
      work: standing.work,
      title: judgement.title,
      parts: partsOf(judged.grounds, call.principal),
      args: judgement.args,
      claimed: call.claimed,
      supersedes: superseded,
    });
    return { call: reopened, isQueued: false, decisions: raised };
  });
}

/**
 * Takes care of a call whose process is gone: an expired lease, or an allowed call that nobody is running any more. It may have been sent, so
 * it becomes unknown, and those who approved it are asked; a tool that the host declared idempotent is sent again under the same key.
 */
export async function recoverCall(deps: EngineDeps, stranded: CallRecord): Promise<void> {
  // The machine slept, or its clock was set: the lease ran out, and still nobody else has this call.
  if (inHand.get(deps)?.has(stranded.id)) return;
  const now = deps.now();
  const reason = 'The process that ran it stopped before it recorded what came of it.';
  const settled = await deps.store.transact(async (tx): Promise<Settled> => {
    const call = await lockCall(tx, stranded.id);
    if (call?.life.version !== stranded.life.version) return nothingSettled;
    const again = advance(call.life, { type: 'release', sent: true, idempotent: call.isIdempotent });
    const next = again.ok ? again : advance(call.life, { type: 'lose' });
    if (!next.ok || !(await applyCall(tx, call.id, next.value.from, next.value.next, again.ok ? {} : { reason, finishedAt: now })))
      return nothingSettled;
    await appendAudit(tx, [
      {
        type: next.value.event,
        at: now,
        actor: { kind: 'host', name: 'reconciler' },
        ...about(call),
        payload: { reason, attempt: call.life.attempt },
      },
    ]);
    const moved = { ...call, life: next.value.next };
    if (again.ok) {
      await putOutbox(tx, [{ job: 'dispatch', subject: call.id, runAt: now, relayAt: now }]);
      return { call: moved, isQueued: true, decisions: [] };
    }
    await dropOutbox(tx, 'dispatch', [call.id]);
    // An allowed call concerns nobody's answer: its agent is told that the outcome is unknown, and no person is interrupted.
    const asked = call.effect === 'ask' ? [await raiseOutcomeDecision(tx, moved, reason, now)] : [];
    return { call: moved, isQueued: false, decisions: asked };
  });
  await announceSettled(deps, settled);
}
