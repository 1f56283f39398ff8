import { MandateTerms, OWN_TOOL_SCOPE } from '@countersign/contracts';
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
    const mandate = await deps.setMandate(caller, MandateTerms.parse(terms), version);
    return ownResult(mandate.ok ? mandateResult(mandate.value) : notExecuted(mandate.error));
  },
});
