import type { Decision } from '@countersign/contracts';

/** What the list keeps of a decision: a record may hold a megabyte of arguments, and ten thousand rows must not. */
export type DecisionRow = Pick<
  Decision,
  | 'id'
  | 'kind'
  | 'state'
  | 'version'
  | 'shownDigest'
  | 'title'
  | 'principal'
  | 'agent'
  | 'irreversible'
  | 'createdAt'
  | 'expiresAt'
  | 'settledAt'
> & {
  readonly tool: string | null;
  /** Runs between the principal's own request and the call. */
  readonly hops: number;
  /** The strictest ground, in the words of its rule. */
  readonly why: string;
  readonly rules: readonly string[];
  /** Arguments that tell calls of one tool apart, where the title shows none. */
  readonly telling: readonly Telling[];
  readonly mayApprove: boolean;
  readonly mayRefuse: boolean;
  readonly settledBy: readonly string[];
};
export type Telling = { readonly name: string; readonly value: string };

const TELLING = 3;
const CHARACTERS = 48;

const clip = (text: string): string => (text.length > CHARACTERS ? `${text.slice(0, CHARACTERS - 1)}…` : text);

/** The first plain values: what a person would name the call by. The record shows all of them, whole. */
export function tellingArguments(args: Readonly<Record<string, unknown>> | null): readonly Telling[] {
  return Object.entries(args ?? {})
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .slice(0, TELLING)
    .map(([name, value]) => ({ name: clip(name), value: clip(String(value)) }));
}

export function toRow(decision: Decision): DecisionRow {
  const [first] = decision.grounds;
  const saysWhen = first?.when !== undefined && first.when !== 'always';
  return {
    id: decision.id,
    kind: decision.kind,
    state: decision.state,
    version: decision.version,
    shownDigest: decision.shownDigest,
    title: decision.title,
    principal: decision.principal,
    agent: decision.agent,
    irreversible: decision.irreversible,
    createdAt: decision.createdAt,
    expiresAt: decision.expiresAt,
    settledAt: decision.settledAt,
    tool: decision.call?.tool ?? null,
    hops: Math.max(0, decision.chain.length - 1),
    why: (saysWhen ? first.when : first?.reason) ?? '',
    rules: decision.grounds.flatMap((ground) => ground.rule ?? []),
    telling: decision.title.includes('‹') ? [] : tellingArguments(decision.call?.arguments ?? null),
    mayApprove: decision.allowed.includes('approve'),
    mayRefuse: decision.allowed.includes('refuse'),
    settledBy: decision.answers.map((answer) => answer.principal),
  };
}
