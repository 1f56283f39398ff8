import { OWN_TOOL_SCOPE, type RuleRow } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, token, visible } from '@countersign/core';
import * as z from 'zod';
import { agentResult } from '../endpoint/agent-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

/** Rules shown at a time; a host may have thousands. */
const PAGE = 100;

export const listRules = ownTool({
  name: 'list_rules',
  scope: OWN_TOOL_SCOPE.list_rules,
  title: 'List rules',
  description:
    "Lists the host's rules in the order in which they are looked at: tool, condition in plain English, effect, reason, who answers. With `tool`, only the rules that name that tool.",
  input: z.strictObject({
    tool: z.string().max(120).optional().describe('A tool of yours, as tools/list names it'),
    from: z.int().min(1).default(1).describe('Order of the first rule to show'),
  }),
  async run({ deps, list }, { tool, from }) {
    const table = await deps.describeRules();
    // The table knows every tool; the caller is shown its own only.
    const tools = table.tools.filter((row) => list.upstream.has(row.tool) && (tool === undefined || row.tool === tool));
    const named = tool === undefined ? undefined : new Set(tools.flatMap((row) => row.rules));
    const rules = table.rules.filter((rule) => rule.order >= from && (named === undefined || named.has(rule.id)));
    const shown = rules.slice(0, PAGE);
    const rest = rules.length - shown.length;
    const verdicts = tools.map((row) => agentText`- ${token(row.tool)}: ${token(row.verdict)} (${token(row.state)})`);
    const text = agentText`Rules, the strictest effect wins; a rule that can't be evaluated applies.
${shown.length === 0 ? agentText`- none` : joinTexts(shown.map(ruleText))}${rest > 0 ? agentText`\n${rest} more: ask again with {"from": ${rules[PAGE]?.order ?? 0}}` : agentText``}
Your tools:
${verdicts.length === 0 ? agentText`- none` : joinTexts(verdicts)}`;
    return ownResult(agentResult(text, { structured: { digest: table.digest, rules: shown, tools } }));
  },
});

function ruleText(rule: RuleRow): AgentText {
  const mode = rule.mode === 'shadow' ? agentText` (shadow: recorded only)` : agentText``;
  const who = rule.answerBy.length === 0 ? agentText`the agent's principal` : joinTexts(rule.answerBy.map(token), ' or ');
  return agentText`${rule.order}. ${token(rule.id)}: ${token(rule.effect)} ${hostText(visible(rule.tool))} when ${hostText(visible(rule.when))}${mode}. ${hostText(visible(rule.reason))} Answered by ${who}.`;
}
