/** Answering as a page or a program does: with the version and the digest of what was read. */
import type { Client } from '@countersign/client';
import type { AnswerInput, Decision } from '@countersign/contracts';
import { mustBe } from './started-host.ts';
import { until } from './until.ts';

export const readDecision = async (client: Client, id: string): Promise<Decision> => mustBe(await client.decisions.get(id));

/** Reads a decision and answers it; the result as it came, for better or worse. */
export async function answer(client: Client, id: string, input: Partial<AnswerInput> = {}) {
  const { version, shownDigest } = await readDecision(client, id);
  return await client.decisions.answer(id, { version, shownDigest, effect: 'approve', ...input });
}

export const approve = async (client: Client, id: string): Promise<Decision> => mustBe(await answer(client, id));

/** The decision once its call has ended or gone back to people, whatever way. */
export const settledCall = (client: Client, id: string): Promise<Decision> =>
  until(`the call of ${id} comes to an end`, async () => {
    const decision = await readDecision(client, id);
    return ['queued', 'executing', 'running'].includes(decision.call?.state ?? '') ? null : decision;
  });

export const pendingOf = async (client: Client): Promise<readonly Decision[]> =>
  mustBe(await client.decisions.list({ state: ['pending'], limit: 200 })).items;

/** Every decision about a tool, whatever its state. */
export async function allOf(client: Client, tool: string): Promise<readonly Decision[]> {
  const all: Decision[] = [];
  let cursor: string | undefined;
  do {
    const page = mustBe(await client.decisions.list({ tool, limit: 200, ...(cursor !== undefined && { cursor }) }));
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
