import { MandateTerms, OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, hostText, joinTexts, visible } from '@countersign/core';
import * as z from 'zod';
import { notExecuted } from '../endpoint/agent-result.ts';
import { mandateResult } from './my-mandate.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const setMandate = ownTool({
  name: 'set_mandate',
  scope: OWN_TOOL_SCOPE.set_mandate,
  title: 'Set my mandate',
  description:
    'Replaces your own terms as a whole, in force at once for every agent of yours. `version` is the version you read; if it changed since, nothing is set. Only principals have this tool.',
  input: z.strictObject({ version: z.int().min(0), ...MandateTerms.shape }),
  async run({ deps, caller }, { version, ...terms }) {
    const set = await deps.setMandate(caller, MandateTerms.parse(terms), version);
    if (!set.ok) return ownResult(notExecuted(set.error));
    const mandate = await deps.describeMandate(caller);
    if (!mandate.ok) return ownResult(notExecuted(mandate.error));
    const warnings = (set.value.warnings ?? []).map((warning) => agentText`Warning: ${hostText(visible(warning))}\n`);
    return ownResult(mandateResult(mandate.value, agentText`Set.\n${joinTexts(warnings, '')}`));
  },
});
