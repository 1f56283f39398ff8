import type { Decision, DecisionRow } from '@countersign/contracts';

const TELLING = 4;
const CHARACTERS = 48;

const clip = (text: string): string => (text.length > CHARACTERS ? `${text.slice(0, CHARACTERS - 1)}…` : text);

/** The first plain values: what a person would name the call by. The record shows all of them, whole. */
export const tellingArguments = (args: Readonly<Record<string, unknown>>): DecisionRow['telling'] =>
  Object.entries(args)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .slice(0, TELLING)
    .map(([name, value]) => ({ name: clip(name), value: clip(String(value)) }));

const bytesOf = (args: unknown): number => new TextEncoder().encode(JSON.stringify(args)).length;

/** The row of a record that was read because it changed, as the server would list it. */
export function toRow(decision: Decision): DecisionRow {
  const { id, kind, state, version, shownDigest, title, principal, agent, irreversible, allowed, call } = decision;
  const [first] = decision.grounds;
  const saysWhen = first?.when !== undefined && first.when !== 'always';
  return {
    id,
    kind,
    state,
    version,
    shownDigest,
    title,
    principal,
    agent,
    irreversible,
    allowed,
    tool: call?.tool ?? null,
    hops: Math.max(0, decision.chain.length - 1),
    why: (saysWhen ? first.when : first?.reason) ?? '',
    rules: decision.grounds.flatMap((ground) => ground.rule ?? []),
    telling: title.includes('‹') || call === null ? [] : tellingArguments(call.arguments),
    argumentBytes: call === null ? 0 : bytesOf(call.arguments),
    settledBy: decision.answers.map((answer) => answer.principal),
    createdAt: decision.createdAt,
    expiresAt: decision.expiresAt,
    settledAt: decision.settledAt,
  };
}
