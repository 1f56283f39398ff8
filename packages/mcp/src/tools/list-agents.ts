import { OWN_TOOL_SCOPE } from '@countersign/contracts';
import { agentText, joinTexts, quote, token, untrusted } from '@countersign/core';
import * as z from 'zod';
import { agentResult } from '../endpoint/agent-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const listAgents = ownTool({
  name: 'list_agents',
  scope: OWN_TOOL_SCOPE.list_agents,
  title: 'List agents',
  description: 'Lists the agents of this host: name, principal, lane, whether it takes questions now, and what each says of itself.',
  input: z.strictObject({}),
  async run({ deps, caller }) {
    const agents = await deps.listAgents(caller);
    const lines = agents.map(({ name, principal, lane, takesQuestions, description }) => {
      const asks = takesQuestions ? agentText`takes questions` : agentText`takes no questions`;
      const head = agentText`- ${token(name)}, acting for ${token(principal)}, lane ${token(lane)}, ${asks}`;
      return description === ''
        ? head
        : agentText`${head}\n${quote(untrusted(description, { author: name, source: 'description of an agent' }))}`;
    });
    return ownResult(
      agentResult(lines.length === 0 ? agentText`There are no agents yet.` : joinTexts(lines), {
        structured: {
          agents: agents.map(({ name, principal, lane, status, takesQuestions }) => ({ name, principal, lane, status, takesQuestions })),
        },
      }),
    );
  },
});
