import type { RuleRow, ToolRow } from '@countersign/contracts';
import type { Rule, RuleSet } from './rules.ts';

/** The rules in evaluation order, for the page, the terminal and `list_rules`. `answerBy` is empty where the agent's principal answers. */
export const ruleTable = (ruleSet: RuleSet): readonly RuleRow[] =>
  ruleSet.rules.map((rule, place) => ({
    order: place + 1,
    id: rule.id,
    tool: rule.tool,
    when: rule.when,
    reason: rule.reason,
    effect: rule.effect,
    match: rule.match,
    answerBy: [...(rule.answerBy ?? [])],
    needs: rule.needs,
    mode: rule.mode,
    expiresMs: rule.expiresMs,
    irreversible: rule.irreversible,
    remindMs: rule.remindMs,
    title: rule.title?.source ?? null,
  }));

/**
 * What the rules alone say of each known tool: `allow` where no enforced rule names it, `ask` or `refuse` where that holds for every call,
 * `depends` where a rule reads the arguments. Mandates come on top. `rules` names every rule that can apply, shadow ones included. `plain`:
 * the tool's own name, where its key may be an alias.
 */
export const toolRows = (
  ruleSet: RuleSet,
  tools: readonly (Pick<ToolRow, 'tool' | 'state'> & { readonly plain?: string })[],
): readonly ToolRow[] =>
  tools.map(({ tool, plain, state }) => {
    const rules = ruleSet.for(tool, plain);
    return { tool, state, verdict: verdictOf(rules.filter((rule) => rule.mode === 'enforce')), rules: rules.map((rule) => rule.id) };
  });

function verdictOf(rules: readonly Rule[]): ToolRow['verdict'] {
  const always = rules.filter((rule) => rule.match === null);
  const reading = rules.filter((rule) => rule.match !== null);
  if (always.some((rule) => rule.effect === 'refuse')) return 'refuse';
  if (reading.some((rule) => rule.effect === 'refuse')) return 'depends';
  if (always.length > 0) return 'ask';
  return reading.length > 0 ? 'depends' : 'allow';
}
