import { canonicalize } from '@countersign/audit';
import type { Actor } from '@countersign/contracts';
import { appendAudit, bumpAuthority, type DecisionRecord, listTools, saveTool, type Transaction } from '@countersign/store';

/**
 * What an answer to a decision of kind `tool` does, in the answering transaction: an approval accepts the definition that was shown, if it is
 * still the current one; a refusal leaves the tool quarantined.
 */
export async function answerToolDecision(
  tx: Transaction,
  decision: DecisionRecord,
  effect: 'approve' | 'refuse',
  actor: Actor,
  at: string,
): Promise<void> {
  if (effect === 'refuse') return;
  const shown = decision.request as { readonly digest: string; readonly after: unknown } | null;
  const tool = (await listTools(tx)).find((candidate) => candidate.key === decision.tool);
  if (!tool || !shown || tool.currentDigest !== shown.digest) return;
  await saveTool(tx, {
    ...tool,
    acceptedDigest: tool.currentDigest,
    definition: canonicalize(shown.after),
    state: 'accepted',
    changedAt: at,
  });
  await bumpAuthority(tx);
  await appendAudit(tx, [
    { type: 'tool.accepted', at, actor, decision: decision.id, payload: { tool: tool.key, digest: tool.currentDigest } },
  ]);
}
