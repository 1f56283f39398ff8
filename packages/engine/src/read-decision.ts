/** Decisions as they go over the wire, with everything a person needs to decide. */
import {
  type Decision,
  type DecisionPage,
  type DecisionQuery,
  fail,
  type Hop,
  type Outcome,
  ok,
  type Result,
} from '@countersign/contracts';
import { allowedCommands, type Moment } from '@countersign/core';
import {
  type AnswerRecord,
  answersOf,
  type CallRecord,
  type DecisionRecord,
  type EvidenceRecord,
  evidenceOf,
  findCalls,
  findVisibleDecision,
  listDecisions as listRecords,
  type NoteRecord,
  notesAbout,
} from '@countersign/store';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { redactDecision } from './redact.ts';
import type { Tools } from './redact-paths.ts';
import { redactingTools } from './redacting-tools.ts';
import { receiptsOf } from './relay.ts';
import { rememberTerm } from './remember.ts';
import type { JsonObject, UpstreamReply } from './upstreams.ts';
import { viewOf } from './view.ts';

/** One decision whole. Unknown and foreign ids answer alike. */
export async function readDecision(deps: EngineDeps, viewer: Caller, id: string): Promise<Result<Decision, 'not_found'>> {
  const record = await findVisibleDecision(deps.store.db, viewOf(viewer), id);
  if (!record) return fail('not_found', `There is no decision ${id}.`);
  const [decision] = await toWire(deps, viewer, [record]);
  return decision ? ok(decision) : fail('not_found', `There is no decision ${id}.`);
}

/** The decisions that a viewer may see, by filter, a page at a time. */
export async function listDecisions(deps: EngineDeps, viewer: Caller, query: DecisionQuery): Promise<Result<DecisionPage, 'not_found'>> {
  const { items, nextCursor } = await listRecords(deps.store.db, viewOf(viewer), query, await redactingTools(deps));
  return ok({ items: await toWire(deps, viewer, items), nextCursor });
}

async function toWire(deps: EngineDeps, viewer: Caller, records: readonly DecisionRecord[]): Promise<Decision[]> {
  const { host } = await deps.authority.host('current');
  const calls = await findCalls(
    deps.store.db,
    records.flatMap((record) => record.call ?? []),
  );
  const ids = records.map((record) => record.id);
  const answers = await answersOf(deps.store.db, ids);
  const evidence = await evidenceOf(deps.store.db, ids);
  const notes = await notesAbout(
    deps.store.db,
    records.filter((record) => record.chain.length > 1).map((record) => record.id),
  );
  const now = deps.now();
  const moment = { now, counted: host.frozen?.at ?? now };
  const { tools } = deps.config();
  return records.map((record) => {
    const call = calls.find((candidate) => candidate.id === record.call) ?? null;
    const given = answers.filter((answer) => answer.decision === record.id);
    const filed = evidence.filter((piece) => piece.decision === record.id);
    return redactDecision(tools, wireDecision(tools, viewer, record, call, { given, filed, notes }, moment));
  });
}

function wireDecision(
  tools: Tools,
  viewer: Caller,
  record: DecisionRecord,
  call: CallRecord | null,
  {
    given,
    filed,
    notes,
  }: {
    readonly given: readonly AnswerRecord[];
    readonly filed: readonly EvidenceRecord[];
    readonly notes: readonly NoteRecord[];
  },
  moment: Moment,
): Decision {
  const { question, state } = record;
  const mayAnswer = !viewer.agent && viewer.principal ? allowedCommands(question, state, viewer.principal.name, moment) : [];
  return {
    id: record.id,
    kind: record.kind,
    state: state.state,
    version: state.version,
    shownDigest: question.shownDigest,
    title: record.title,
    principal: record.principal,
    answerBy: [...question.answerBy],
    needs: question.needs,
    agent: record.agent,
    chain: record.chain.map((hop: Hop) => ({ ...hop })),
    grounds: record.grounds.map((ground) => ({ ...ground })),
    irreversible: question.irreversible,
    call: call && wireCall(call),
    request: record.request && { ...record.request },
    context: { seen: seenFor(viewer, record), claimed: record.context.claimed },
    answers: given.map((answer) => ({
      id: answer.id,
      principal: answer.principal,
      effect: answer.effect,
      note: answer.note,
      editedArgs: answer.editedArgs === null ? null : parseObject(answer.editedArgs),
      shownDigest: answer.shownDigest,
      at: answer.at,
    })),
    evidence: filed.map(({ id, claim, source, reference, at }) => ({ id, claim, source, reference, at })),
    outcome: call && outcomeOf(call),
    relay: receiptsOf(record, call, notes),
    supersedes: record.supersedes,
    supersededBy: record.supersededBy,
    afterRefusalOf: record.afterRefusalOf,
    allowed: [...mayAnswer],
    rememberTerm: mayAnswer.includes('approve') ? rememberTerm(tools, record, call) : null,
    createdAt: record.createdAt,
    expiresAt: state.expiresAt,
    settledAt: state.state === 'pending' ? null : state.settledAt,
    settledReason: settledReason(record),
  };
}

/**
 * What the server saw, as far as this viewer may see it. What other agents did in the runs above is there for the person who decides: to the
 * agent that was asked, which may be another principal's, it is nobody's business.
 */
function seenFor(viewer: Caller, { context }: DecisionRecord): Record<string, unknown> {
  const { above, ...own } = context.seen;
  return viewer.agent || above === undefined ? own : { ...own, above };
}

const wireCall = (call: CallRecord): NonNullable<Decision['call']> => ({
  id: call.id,
  tool: call.tool,
  arguments: parseObject(call.args),
  digest: call.argsDigest,
  state: call.life.state,
  effectiveArguments: call.effectiveArgs === null ? null : parseObject(call.effectiveArgs),
});

/** What became of the call; null while nothing is decided or it is on its way. */
function outcomeOf(call: CallRecord): Outcome | null {
  const at = call.finishedAt;
  if (!at) return null;
  const reply = call.result === null ? null : (JSON.parse(call.result) as UpstreamReply);
  const base = { at, reason: call.reason, result: reply?.kind === 'result' ? { ...reply.result } : null };
  switch (call.life.state) {
    case 'done':
      return { ...base, state: 'done' };
    case 'failed':
      return { ...base, state: 'failed' };
    case 'unknown':
      return { ...base, state: 'unknown' };
    case 'refused':
    case 'abandoned':
      return { ...base, state: 'not_run' };
    default:
      return null;
  }
}

function settledReason({ state, kind, settledReason: reason }: DecisionRecord): string | null {
  if (state.state === 'expired' && kind === 'outcome') return 'Nobody answered before the deadline; it was not sent again.';
  if (state.state === 'expired') return 'Nobody answered before the deadline; nothing was executed.';
  return state.state === 'withdrawn' ? state.reason : reason;
}

const parseObject = (text: string): Record<string, unknown> => ({ ...(JSON.parse(text) as JsonObject) });
