import { EvidenceInput, OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, token } from '@countersign/core';
import { agentResult } from '../endpoint/agent-result.ts';
import { decisionFailure } from './decision-id.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const fileEvidence = ownTool({
  name: 'file_evidence',
  scope: OWN_TOOL_SCOPE.file_evidence,
  title: 'File evidence',
  description:
    'Records what was done, with the artifact that shows it: a commit, a document, a calendar entry, a URL or a ticket. Without an artifact the source is manual. With `decision` it stands on that decision of yours, where the person who answers sees it as your words.',
  input: EvidenceInput,
  async run({ deps, caller, origin }, input) {
    const filed = await deps.fileEvidence(caller, { ...input, origin });
    if (!filed.ok) return ownResult(decisionFailure(filed.error, input.decision ?? ''));
    const { id, source, decision, at } = filed.value;
    const where = decision === null ? agentText`on this piece of work` : agentText`on ${token(decision)}`;
    return ownResult(
      agentResult(agentText`Filed as ${token(id)} (${token(source)}) ${where}. It stands there as your claim; nobody has checked it.`, {
        structured: { id, source, decision, at },
      }),
    );
  },
});
