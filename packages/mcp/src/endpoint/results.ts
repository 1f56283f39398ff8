import { META } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, quote, token, untrusted, visible, visibleLine } from '@countersign/core';
import type { CallEnd, Caller, HeldDecision, JsonObject, UpstreamReply } from '@countersign/engine';
import { agentError, agentResult, notExecuted } from './agent-result.ts';
import { type CallAnswer, type Era, isRecord, RPC, unknownTool } from './rpc.ts';

/** What an answer depends on beside how the call ended. */
export type EndContext = {
  readonly era: Era;
  readonly caller: Caller;
  /** The name that the caller used. */
  readonly tool: string;
  readonly hasOutputSchema: boolean;
  /** Whether the caller has `request_decision`. */
  readonly canRequestDecision: boolean;
};

type End<Kind extends CallEnd['kind']> = Extract<CallEnd, { kind: Kind }>;
type Table = { readonly [Kind in CallEnd['kind']]: (end: End<Kind>, context: EndContext) => CallAnswer };

/** One row for each way that a call ends (DESIGN section 8). */
const ANSWER: Table = {
  reply: (end, context) => relayed(end.reply, context),
  hidden: (_, context) => unknownTool(context.tool),
  held: (end, context) => ours(held(end, context)),
  refused: (end, context) => ours(refused(end, context)),
  asked: (end) => ours(asked(end.decision)),
  answered: (end, context) => ours(answered(end, context)),
  failed: (end) => {
    const stands = end.sent ? agentText`The call was sent and failed (failed).` : agentText`Not executed (failed): the call was not sent.`;
    return ours(agentError('failed', agentText`${stands}\n${reported(end.reason)}`));
  },
  unknown: (end) =>
    ours(
      agentError(
        'outcome_unknown',
        agentText`Outcome unknown (outcome_unknown): the call was sent and nobody knows whether it took effect. Do not repeat it: a person is asked to find out.\n${reported(end.reason)}`,
      ),
    ),
  unavailable: (end) => ours(notExecuted(end.error)),
};

/** The answer to a tools/call that ended so. Upstream results are passed on as they came; everything else says in plain words where it stands. */
export function answerOf(end: CallEnd, context: EndContext): CallAnswer {
  const row = ANSWER[end.kind] as (end: CallEnd, context: EndContext) => CallAnswer;
  return row(end, context);
}

const ours = (result: JsonObject): CallAnswer => ({ kind: 'result', result });

/** A reason that may hold words of an upstream server, an agent or a person. */
const reported = (reason: string, author = 'this host and the upstream server'): AgentText =>
  quote(untrusted(reason, { author, source: 'reason' }));

/** The reason of a ground: the host's own words, unless it cites, in “…”, a note that somebody wrote. */
export const groundText = (reason: string): AgentText =>
  reason.includes('“') ? reported(reason, 'this host, citing a note') : hostText(visibleLine(reason));

function held({ decisions, mayHaveRun }: End<'held'>, { hasOutputSchema }: EndContext): JsonObject {
  const first = decisions[0];
  if (!first) throw new Error('A held call came without a decision.');
  const shown = decisions.map(({ id, state, expiresAt, url }) => ({ id, state, expiresAt, url }));
  return agentResult(heldText(decisions, first, mayHaveRun), {
    // SDK clients throw on a result without structured content where the tool promises it, unless it is an error.
    ...(hasOutputSchema && { isError: true }),
    meta: {
      [META.decision]: shown[0],
      ...(shown.length > 1 && { [DECISIONS]: shown }),
      [META.outcome]: { code: 'pending' },
    },
  });
}

/** All decisions that a held call waits for, where there are several. */
const DECISIONS = 'io.countersign/decisions';

function heldText(decisions: readonly HeldDecision[], first: HeldDecision, mayHaveRun: boolean): AgentText {
  const isApproved = decisions.every(({ state }) => state === 'approved');
  const stands = isApproved
    ? agentText`It is approved and on its way; there is no result yet.`
    : agentText`It waits until a person answers.`;
  const ids = joinTexts(
    decisions.map(({ id }) => token(id)),
    ' and ',
  );
  const executed = mayHaveRun ? agentText`Sent once, outcome unknown; a person may have it sent again.` : agentText`Not executed.`;
  return agentText`${executed} This call is held as ${ids}. ${stands}
${joinTexts(decisions.map(decisionText))}
There is nothing to fix in this call, and no need to repeat it: a repeat attaches to the same decision.
To get its result, call await_decision with {"id": "${token(first.id)}"}, at once or later, as often as needed and from any session.`;
}

function decisionText({ id, state, expiresAt, url, answerBy, reasons }: HeldDecision): AgentText {
  const people = joinTexts(answerBy.map(token), ' or ');
  const why = reasons.map((reason) => agentText`\n  Why: ${groundText(reason)}`);
  return agentText`- ${token(id)} (${token(state)}), to be answered by ${people} until ${token(expiresAt)} at ${hostText(url)}${joinTexts(why, '')}`;
}

function refused(end: End<'refused'>, context: EndContext): JsonObject {
  const note = end.note && noteText(end.note, context);
  return agentError(end.code, refusalText(end, note, context), {
    ...(end.decision && { decision: end.decision }),
    ...(note && { note: note.text }),
  });
}

function refusalText(end: End<'refused'>, note: AgentText | null, { canRequestDecision }: EndContext): AgentText {
  const about = end.decision ? agentText` (decision ${token(end.decision)})` : agentText``;
  const why = whyText(end, note);
  const may = canRequestDecision
    ? agentText`Repeating it gets the same answer. You may change the arguments, ask your principal, or put the question with request_decision.`
    : agentText`Repeating it gets the same answer. You may change the arguments or ask your principal.`;
  switch (end.code) {
    case 'refused_by_principal':
      return agentText`Not executed (refused_by_principal): a person refused this call${about}.\n${why}\n${may}`;
    case 'refused_by_rule':
      return agentText`Not executed (refused_by_rule): the host refuses this call. ${why}\n${may}`;
    case 'expired':
      return agentText`Not executed (expired): nobody answered in time${about}. ${why}\nSilence is not consent; nothing was executed. It is no person's refusal either: you may make the call again to ask anew.`;
    case 'withdrawn':
      return agentText`Not executed (withdrawn): the question was withdrawn${about}.\n${why}\nYou may make the call again to ask anew.`;
  }
}

/** A refusal's own reason repeats the note where there is one, and cites whoever withdrew it. */
function whyText({ code, reason, note: given }: End<'refused'>, note: AgentText | null): AgentText {
  if (note && given) return agentText`Note of ${token(given.by)}: ${note}`;
  return code === 'withdrawn' ? reported(reason, 'whoever withdrew it') : groundText(reason);
}

/** A question without a call has nothing to execute: its answer is a plain result, whichever it is, and tells by code what it was. */
function asked(decision: HeldDecision): JsonObject {
  const { id, state, expiresAt, url } = decision;
  const text = agentText`Your question is put as ${token(id)}. Nobody has answered it yet.
${decisionText(decision)}
Asking again attaches to the same question. To get the answer, call await_decision with {"id": "${token(id)}"}, at once or later, from any session.`;
  return agentResult(text, { meta: { [META.decision]: { id, state, expiresAt, url }, [META.outcome]: { code: 'pending' } } });
}

function answered(end: End<'answered'>, context: EndContext): JsonObject {
  const note = end.note && noteText(end.note, context);
  return agentResult(answeredText(end, note), {
    meta: { [META.outcome]: { code: end.code, decision: end.decision, by: end.by, ...(note && { note: note.text }) } },
  });
}

function answeredText({ code, decision, by, reason, note: given }: End<'answered'>, note: AgentText | null): AgentText {
  const people = joinTexts(by.map(token), ' and ');
  const said = note && given ? agentText`\nNote of ${token(given.by)}: ${note}` : agentText``;
  switch (code) {
    case 'approved':
      return agentText`Approved (approved): ${people} said yes to your question ${token(decision)}.${said}\nNothing was run by it and no term was added: my_mandate shows your terms, and calls are judged as before.`;
    case 'refused_by_principal':
      return agentText`Refused (refused_by_principal): ${people} said no to your question ${token(decision)}.${said}\nAsking the same again gets the same answer.`;
    case 'expired':
      return agentText`Expired (expired): nobody answered your question ${token(decision)} in time. Silence is not consent, and it is no person's refusal either: you may ask anew.`;
    case 'withdrawn':
      return agentText`Withdrawn (withdrawn): your question ${token(decision)} was taken back by ${people}.\n${reported(reason ?? '', 'whoever withdrew it')}`;
  }
}

/** The words of the caller's own principal are meant for it and reach it as they are; anybody else's are quoted as data. */
function noteText(note: { readonly by: string; readonly text: string }, { caller }: EndContext): AgentText {
  if (note.by === caller.principal?.name) return hostText(visible(note.text));
  return quote(untrusted(note.text, { author: note.by, source: 'note of an answer' }));
}

/** Codes that speak of the hop between us and the upstream; towards the caller they would mean something else. */
const OF_THE_OTHER_HOP: ReadonlySet<number> = new Set([-32020, -32021, -32022, RPC.parse, RPC.invalidRequest, -32601]);
/** Asks to open a URL; 2026-07-28 does not have it and its servers must not send it. */
const URL_ELICITATION = -32042;

function relayed(reply: UpstreamReply, { era }: EndContext): CallAnswer {
  if (reply.kind === 'result') return relayedResult(reply.result, era);
  const { code, message, data } = reply.error;
  const isOfTheOtherHop = OF_THE_OTHER_HOP.has(code) || (code === URL_ELICITATION && era === 'modern');
  if (!isOfTheOtherHop) return { kind: 'error', error: { code, message, ...(data !== undefined && { data }) } };
  return {
    kind: 'error',
    error: {
      code: RPC.internal,
      message: `The upstream server answered with an error: ${visible(message)}`,
      data: { code: 'upstream.bad_reply', upstreamCode: code },
    },
  };
}

const OUR_MARK = 'io.countersign/';

/** An upstream's result as it came, but for `_meta` in our name: by it a caller knows a held call, so nobody else may write it. */
function withoutOurMarks(result: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = result;
  if (!isRecord(meta) || !Object.keys(meta).some((key) => key.startsWith(OUR_MARK))) return result;
  return { ...rest, _meta: Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OUR_MARK))) };
}

function relayedResult(result: JsonObject, era: Era): CallAnswer {
  const { resultType } = result;
  const isCarried = resultType === undefined || resultType === 'complete' || (era === 'modern' && resultType === 'input_required');
  if (isCarried) return { kind: 'result', result: withoutOurMarks(result) };
  const text =
    resultType === 'input_required'
      ? agentText`The tool asks for more input before it answers, which only clients of protocol revision 2026-07-28 can give.`
      : agentText`The tool answered in a form that this server does not carry.`;
  return ours(agentError('failed', text, { error: 'upstream.bad_reply' }));
}
