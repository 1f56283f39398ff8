import { agentText, joinTexts, quote, token, untrusted } from '@countersign/core';
import type { JsonObject } from '@countersign/engine';
import type { OwnToolContext } from './own-tool.ts';

/**
 * A result of our own with what principals decided below this agent's questions and it was not told yet, as a block of its own. Those notes
 * count as told from here on, so it comes last, and not for a caller that is gone.
 * @param consult of this one, also the notes that were told before
 */
export async function withNotes(
  { deps, caller, signal }: Pick<OwnToolContext, 'deps' | 'caller' | 'signal'>,
  result: JsonObject,
  consult: string | null = null,
): Promise<JsonObject> {
  if (signal.aborted) return result;
  const notes = await deps.takeNotes(caller, consult);
  if (notes.length === 0) return result;
  const texts = notes.map(
    ({ decision, consult: below, text, createdAt }) =>
      agentText`${token(createdAt)} ${token(decision)}, below your question ${token(below)}:\n${quote(untrusted(text, { author: 'this host, citing principals and agents', source: 'note on a decision' }))}`,
  );
  const block = { type: 'text', text: agentText`Decided below your questions:\n${joinTexts(texts)}`.text };
  return { ...result, content: [...(result.content as readonly unknown[]), block] };
}
