/**
 * The gate: between "the model picked a tool" and "the tool ran" stands this one function.
 *
 * G1 A call leaves for upstream only after its intent is durable; the agent gets a result only after the outcome is.
 * G2 What is judged, shown, hashed and sent is one frozen object.
 * G3 Authority is checked where the intent commits: a call judged under terms that changed meanwhile is judged again.
 * G4 A hidden tool and one that does not exist end alike.
 * G5 When anything here can't be written, the call does not run.
 */
import type { Failure } from '@countersign/contracts';
import type { RefusalCause } from '@countersign/core';
import {
  type CallOutcome,
  type CallRecord,
  decisionsOfCall,
  findApproved,
  type Intent,
  markCall,
  markRefusalsDelivered,
} from '@countersign/store';
import { abandonCall } from './abandon-call.ts';
import { callerActor } from './actor.ts';
import { announceChange } from './announce.ts';
import { waitForEnd } from './await-decision.ts';
import type { CallEnd, IncomingCall } from './call-end.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { sha256 } from './digest.ts';
import { denialsOf } from './earlier-no.ts';
import { heldDecision } from './end-of-call.ts';
import { enterAgain } from './enter-run.ts';
import { hasTool, type Judgement, judge, type Work } from './judge.ts';
import { about, callRecord, raiseDecision } from './raise-decision.ts';
import { recordRejected } from './record-refused.ts';
import { replaceHeld } from './replace-held.ts';
import { recordCounted } from './term-uses.ts';
import type { UpstreamFailure, UpstreamReply } from './upstreams.ts';
import { workOf } from './work.ts';

/** Rounds of judging again while authority keeps moving; more than a few in a row means that something is wrong. */
const ROUNDS = 5;

/** Takes one call through the gate. Expected things, a dead store included, come back as a `CallEnd`. */
export async function callTool(deps: EngineDeps, caller: Caller, call: IncomingCall): Promise<CallEnd> {
  try {
    return await admit(deps, caller, call);
  } catch (error) {
    deps.log.error({ err: error, tool: call.tool }, 'A call was refused because it could not be recorded');
    return unavailable({
      code: 'store.unavailable',
      message: 'Not executed: the call could not be recorded. Nothing happened; try again later.',
    });
  }
}

async function admit(deps: EngineDeps, first: Caller, incoming: IncomingCall): Promise<CallEnd> {
  let caller = first;
  for (let round = 0; round < ROUNDS; round += 1) {
    const tool = deps.upstreams.tool(incoming.tool);
    if (!tool || !hasTool(deps, caller, incoming.tool)) {
      await recordRejected(deps, caller, { tool: incoming.tool, code: 'tool.unknown', args: incoming.args });
      return { kind: 'hidden' };
    }
    const work = await workOf(deps, caller, incoming.origin, round === 0 ? 'cached' : 'current');
    const plain = await judge(deps, caller, work, tool, incoming.args, [], round === 0 ? 'cached' : 'current');
    const judgement =
      plain.verdict.effect === 'ask' ? await judge(deps, caller, work, tool, incoming.args, await denialsOf(deps, work, plain)) : plain;
    const end =
      judgement.verdict.effect === 'ask'
        ? await hold(deps, caller, work, judgement, incoming)
        : await runOrRefuse(deps, caller, work, judgement, incoming);
    if (end !== 'stale') return end;
    deps.authority.forget();
    const again = await deps.authority.again(caller);
    if (!again) return unavailable({ code: 'credential.invalid', message: 'This credential is no longer valid.' });
    const entered = await enterAgain(deps, again, caller);
    if (!entered.ok) return unavailable(entered.error);
    caller = { ...entered.value, hold: caller.hold };
  }
  return unavailable({ code: 'conflict', message: 'Not executed: the terms kept changing while the call was judged. Try again.' });
}

async function runOrRefuse(
  deps: EngineDeps,
  caller: Caller,
  work: Work,
  judgement: Judgement,
  incoming: IncomingCall,
): Promise<CallEnd | 'stale'> {
  const judged = callRecord(deps, caller, work, judgement, incoming.claimed);
  const isRefused = judgement.verdict.effect === 'refuse';
  const record: CallRecord = isRefused ? { ...judged, cause: 'refused_by_rule', reason: refusalReason(judgement) } : judged;
  const intent: Intent = {
    call: record,
    event: {
      type: isRefused ? 'call.refused' : 'call.admitted',
      at: record.createdAt,
      actor: callerActor(caller),
      ...about(record),
      payload: {
        tool: record.tool,
        argsDigest: record.argsDigest,
        toolDigest: record.toolDigest,
        rulesDigest: record.rulesDigest,
        mandateVersions: record.mandateVersions,
        ...(record.grounds.length > 0 && { grounds: record.grounds }),
      },
    },
  };
  const isCounted = !isRefused && judgement.limited.length > 0;
  const recorded = isCounted ? await recordCounted(deps, intent, judgement.limited) : (await deps.store.recordIntent(intent)).recorded;
  if (!recorded) {
    const { host } = await deps.authority.host('current');
    const isStale = isRefused || host.authority !== record.authority;
    const approved = isStale ? null : await findApproved(deps.store.db, record);
    if (!approved) return 'stale';
    if (await replaceHeld(deps, intent, judgement.limited, approved)) return await run(deps, caller, record, incoming);
    return await follow(deps, caller, approved, incoming);
  }
  if (isRefused) return await refusedByGate(deps, judgement, record);
  return await run(deps, caller, record, incoming);
}

/** Sends an allowed call whose intent is durable, and records what came of it before anybody hears of it. */
async function run(deps: EngineDeps, caller: Caller, record: CallRecord, incoming: IncomingCall): Promise<CallEnd> {
  const answer = await deps.upstreams.call(record.tool, incoming.args, {
    idempotencyKey: record.id,
    digest: record.toolDigest,
    signal: incoming.signal,
    ...(incoming.meta && { meta: incoming.meta }),
    ...(incoming.onProgress && { onProgress: incoming.onProgress }),
  });
  const outcome = outcomeOf(answer);
  const at = deps.now();
  const ended: CallOutcome = {
    id: record.id,
    from: record.life.version,
    state: outcome.state,
    result: outcome.result,
    reason: outcome.reason,
    at,
    event: { type: outcome.event, at, actor: callerActor(caller), ...about(record), payload: outcome.payload },
  };
  const recorded = await deps.store.recordOutcome(ended).catch((error: unknown) => {
    deps.log.error({ err: error, call: record.id }, 'The outcome of a call could not be recorded; it is tried again');
    unrecorded.set(deps, [...(unrecorded.get(deps) ?? []), ended]);
    return false;
  });
  if (!recorded)
    return { kind: 'unknown', call: record.id, reason: 'It was sent, but what came of it could not be recorded, so it is not reported.' };
  if (answer.ok) return { kind: 'reply', call: record.id, reply: answer.value, decisions: [] };
  return outcome.state === 'unknown'
    ? { kind: 'unknown', call: record.id, reason: answer.error.message }
    : { kind: 'failed', call: record.id, reason: answer.error.message, sent: answer.error.sent };
}

/** Outcomes that the store would not take when they came. They were told to nobody. */
const unrecorded = new WeakMap<EngineDeps, readonly CallOutcome[]>();

/** Records what could not be recorded when it happened, so that no call stays running in the log after it ended. */
export async function recordLate(deps: EngineDeps): Promise<void> {
  for (const ended of unrecorded.get(deps) ?? []) {
    try {
      await deps.store.recordOutcome(ended);
    } catch (error) {
      deps.log.warn({ err: error, call: ended.id }, 'The outcome of a call can still not be recorded');
      continue;
    }
    unrecorded.set(
      deps,
      (unrecorded.get(deps) ?? []).filter((other) => other !== ended),
    );
  }
}

type UpstreamAnswer = { readonly ok: true; readonly value: UpstreamReply } | { readonly ok: false; readonly error: UpstreamFailure };

/** An upstream's answer, or its failure, as a call's end. A failure that may have left is unknown, never failed. */
export function outcomeOf(answer: UpstreamAnswer) {
  if (answer.ok) {
    const result = JSON.stringify(answer.value);
    const isError = answer.value.kind === 'error';
    const payload = { resultDigest: sha256(result), bytes: result.length, ...(isError && { upstreamError: answer.value.error.code }) };
    return isError
      ? ({ state: 'failed', event: 'call.failed', result, reason: answer.value.error.message, payload } as const)
      : ({ state: 'done', event: 'call.completed', result, reason: null, payload } as const);
  }
  const { code, message, sent } = answer.error;
  const payload = { code, message, sent };
  return sent
    ? ({ state: 'unknown', event: 'call.outcome_unknown', result: null, reason: message, payload } as const)
    : ({ state: 'failed', event: 'call.failed', result: null, reason: message, payload } as const);
}

async function hold(
  deps: EngineDeps,
  caller: Caller,
  work: Work,
  judgement: Judgement,
  incoming: IncomingCall,
): Promise<CallEnd | 'stale'> {
  const raised = await raiseDecision(deps, caller, work, judgement, incoming.claimed);
  if (!raised.ok)
    return raised.error.code === 'limit.reached'
      ? unavailable(raised.error)
      : await refuseUnasked(deps, caller, work, judgement, raised.error);
  if (raised.value.kind === 'stale') return 'stale';
  const callId = raised.value.call;
  const decisions = raised.value.kind === 'held' ? raised.value.decisions : await decisionsOfCall(deps.store.db, callId);
  if (raised.value.kind === 'held') {
    for (const decision of decisions)
      announceChange(deps, { type: 'decision', id: decision.id, state: 'pending', version: 1, seenBy: decision.question.answerBy });
  }
  incoming.onHeld?.({
    kind: 'held',
    call: callId,
    mayHaveRun: raised.value.mayHaveRun,
    decisions: decisions.map((decision) => heldDecision(deps, decision)),
  });
  return await follow(deps, caller, callId, incoming);
}

/** Waits for the end of a call that a person decides or has decided, as long as this caller may be kept waiting. */
async function follow(deps: EngineDeps, caller: Caller, callId: string, incoming: IncomingCall): Promise<CallEnd> {
  const waitMs = incoming.hasProgress ? caller.hold.waitWithProgressMs : caller.hold.waitMs;
  const end = await waitForEnd(deps, callId, waitMs, incoming.signal);
  if (incoming.signal.aborted) {
    await abandonCall(deps, caller, callId);
    return end;
  }
  await markCall(deps.store.db, callId, end.kind === 'held' ? 'told' : 'delivered', deps.now());
  return end;
}

/** C10: a question that nobody can answer is refused at once, and the log says so. */
async function refuseUnasked(
  deps: EngineDeps,
  caller: Caller,
  work: Work,
  judgement: Judgement,
  error: Failure,
): Promise<CallEnd | 'stale'> {
  const refused: Judgement = { ...judgement, verdict: { ...judgement.verdict, effect: 'refuse' } };
  const record: CallRecord = { ...callRecord(deps, caller, work, refused, null), cause: 'refused_by_rule', reason: error.message };
  const { recorded } = await deps.store.recordIntent({
    call: record,
    event: {
      type: 'call.refused',
      at: record.createdAt,
      actor: callerActor(caller),
      ...about(record),
      payload: { tool: record.tool, argsDigest: record.argsDigest, code: error.code, reason: error.message, grounds: record.grounds },
    },
  });
  if (!recorded) return 'stale';
  return { kind: 'refused', code: 'refused_by_rule', call: record.id, decision: null, reason: error.message, note: null };
}

const unavailable = (error: Failure): CallEnd => ({ kind: 'unavailable', error });

function refusalReason(judgement: Judgement): string {
  const grounds = judgement.verdict.grounds.filter((ground) => ground.mode === 'enforce' && ground.effect === 'refuse');
  return grounds.map((ground) => ground.reason).join(' ') || 'A rule of the host refuses this.';
}

async function refusedByGate(deps: EngineDeps, judgement: Judgement, record: CallRecord): Promise<CallEnd> {
  const isEarlierNo = judgement.verdict.grounds.some((ground) => ground.kind === 'earlier_no' && ground.effect === 'refuse');
  const code: RefusalCause = isEarlierNo ? 'refused_by_principal' : 'refused_by_rule';
  // With this result the agent has the answer to its earlier call, whose record says whether it was told.
  if (isEarlierNo) await markRefusalsDelivered(deps.store.db, record, deps.now());
  return { kind: 'refused', code, call: record.id, decision: null, reason: record.reason ?? '', note: null };
}
