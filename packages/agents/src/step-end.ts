import { META, OUTCOME_CODES, type OutcomeCode } from '@countersign/contracts';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { StepEnd } from './script.ts';

type Meta = Readonly<Record<string, unknown>>;

/** Reads from a result's `_meta` how the call stands; a result without our mark is the upstream's own. */
export function stepEndOf(result: CallToolResult): StepEnd {
  const text = textOf(result);
  const code = outcomeCode(result._meta?.[META.outcome]);
  const decision = held(result._meta?.[META.decision]);
  if (decision !== null && (code === null || code === 'pending')) return decision;
  switch (code) {
    case null:
    case 'pending':
      return result.isError === true ? { kind: 'failed', text } : { kind: 'done', text };
    case 'approved':
      return { kind: 'done', text };
    case 'failed':
      return { kind: 'failed', text };
    case 'outcome_unknown':
      return { kind: 'unknown', text };
    default:
      return { kind: 'refused', code, text };
  }
}

function outcomeCode(outcome: unknown): OutcomeCode | null {
  const code = isRecord(outcome) ? outcome.code : null;
  return OUTCOME_CODES.find((known) => known === code) ?? null;
}

function held(decision: unknown): Extract<StepEnd, { kind: 'held' }> | null {
  if (!isRecord(decision) || typeof decision.id !== 'string') return null;
  const { id, url } = decision;
  return { kind: 'held', decision: id, url: typeof url === 'string' ? url : null, waitsFor: [] };
}

/** The names of those who may answer, from what get_decision tells programs. */
export function answerByOf(result: CallToolResult): readonly string[] {
  const answerBy = result.structuredContent?.answerBy;
  return Array.isArray(answerBy) ? answerBy.filter((name): name is string => typeof name === 'string') : [];
}

const textOf = (result: CallToolResult): string =>
  result.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');

const isRecord = (value: unknown): value is Meta => typeof value === 'object' && value !== null && !Array.isArray(value);
