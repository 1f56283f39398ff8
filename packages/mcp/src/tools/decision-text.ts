import type { Decision } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, quote, token, untrusted, visible } from '@countersign/core';
import type { Caller, JsonObject } from '@countersign/engine';
import { groundText } from '../endpoint/results.ts';

/** What is ours in a decision, as data: ids, states, times, handles. What others wrote is only in the text, quoted. */
export function decisionFacts(decision: Decision): JsonObject {
  const { id, kind, state, version, principal, answerBy, needs, agent, createdAt, expiresAt, settledAt } = decision;
  return {
    id,
    kind,
    state,
    version,
    principal,
    answerBy,
    needs,
    agent,
    tool: decision.call?.tool ?? null,
    call: decision.call && { id: decision.call.id, state: decision.call.state, digest: decision.call.digest },
    outcome: decision.outcome && { state: decision.outcome.state, at: decision.outcome.at },
    createdAt,
    expiresAt,
    settledAt,
  };
}

export function decisionLine(decision: Decision): AgentText {
  const tool = decision.call ? agentText` of ${token(decision.call.tool)}` : agentText``;
  return agentText`- ${token(decision.id)}: ${token(decision.state)}, ${token(decision.kind)}${tool} by ${token(decision.agent)}, to be answered by ${people(decision)} until ${token(decision.expiresAt)}`;
}

const people = ({ answerBy }: Decision): AgentText => joinTexts(answerBy.map(token), ' or ');

/** The whole of a decision in words. */
export function decisionText(decision: Decision, caller: Caller): AgentText {
  return joinTexts([
    decisionLine(decision),
    ...decision.grounds.map((ground) => agentText`  Why (${token(ground.kind)}): ${groundText(ground.reason)}`),
    ...callTexts(decision),
    ...chainTexts(decision),
    ...claimTexts(decision),
    ...decision.evidence.map((piece) => evidenceText(piece, decision.agent)),
    ...decision.answers.map((answer) => answerText(answer, caller)),
    ...outcomeTexts(decision),
    ...relayTexts(decision),
  ]);
}

/** Who asked whom down to the agent that made the call, with the words that started each run. A run alone says nothing that the head does not. */
function chainTexts({ chain }: Decision): readonly AgentText[] {
  if (chain.length < 2 && !chain[0]?.question) return [];
  return chain.map(({ agent, principal, question }, place) => {
    const asker = chain[place - 1]?.agent;
    const head = asker === undefined ? agentText`The chain: ` : agentText`asked by ${token(asker)}: `;
    const who = agentText`${head}${token(agent)}, acting for ${token(principal)}`;
    if (question === null) return who;
    const source = asker === undefined ? 'task' : 'question';
    return agentText`${who}, on:\n${quote(untrusted(question, { author: asker ?? principal, source }))}`;
  });
}

function callTexts({ call, agent, request }: Decision): readonly AgentText[] {
  if (!call) return request ? [quote(untrusted(request, { author: agent, source: 'question' }))] : [];
  const edited = call.effectiveArguments
    ? [
        agentText`A principal edited them to:\n${quote(untrusted(call.effectiveArguments, { author: 'a principal', source: 'edited arguments' }))}`,
      ]
    : [];
  return [
    agentText`Arguments (${token(call.digest)}):\n${quote(untrusted(call.arguments, { author: agent, source: 'arguments of the call' }))}`,
    ...edited,
  ];
}

function claimTexts({ context, agent }: Decision): readonly AgentText[] {
  return context.claimed === null ? [] : [quote(untrusted(context.claimed, { author: agent, source: 'claim of the agent' }))];
}

/** Filed by the agent: it says so, and nobody has looked. */
function evidenceText({ id, claim, source, reference, at }: Decision['evidence'][number], agent: string): AgentText {
  return agentText`Evidence ${token(id)}, filed at ${token(at)}:\n${quote(untrusted({ claim, source, reference }, { author: agent, source: 'evidence' }))}`;
}

function answerText(answer: Decision['answers'][number], caller: Caller): AgentText {
  const head = agentText`${token(answer.principal)} said ${token(answer.effect)} at ${token(answer.at)}`;
  if (answer.note === null) return head;
  const isOwn = answer.principal === caller.principal?.name;
  const note = isOwn
    ? hostText(visible(answer.note))
    : quote(untrusted(answer.note, { author: answer.principal, source: 'note of an answer' }));
  return agentText`${head}: ${note}`;
}

/** Who of the chain knows how it was settled. A chain of one is told by the result itself. */
function relayTexts({ relay }: Decision): readonly AgentText[] {
  if (relay.length < 2) return [];
  const lines = relay.map(({ agent, toldAt }) =>
    toldAt === null ? agentText`${token(agent)} was not reached yet` : agentText`${token(agent)} was told at ${token(toldAt)}`,
  );
  return [agentText`Relayed: ${joinTexts(lines, '; ')}`];
}

function outcomeTexts({ outcome, settledReason }: Decision): readonly AgentText[] {
  const reason = settledReason === null ? [] : [quote(untrusted(settledReason, { author: 'whoever settled it', source: 'reason' }))];
  if (!outcome) return reason;
  const head = agentText`Outcome: ${token(outcome.state)} at ${token(outcome.at)}. Its result comes from await_decision.`;
  const why =
    outcome.reason === null ? [] : [quote(untrusted(outcome.reason, { author: 'this host and the upstream server', source: 'report' }))];
  return [...reason, head, ...why];
}
