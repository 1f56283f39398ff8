import { RuleRow, ToolRow } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { ruleTable, toolRows } from '../src/rule-table.ts';
import { ruleFromCode } from '../src/rules.ts';
import { aRule, aRuleSet } from './classify-words.ts';

const rules = aRuleSet(
  aRule({ id: 'smash', tool: 'jar__smash', match: undefined, when: 'always' }),
  aRule({ id: 'eat', title: '"Eat " + string(args.amount)', irreversible: true, remind_after: '30m' }),
  aRule({ id: 'no-shell', tool: 'shell__*', match: undefined, effect: 'refuse' }),
  aRule({ id: 'rm', tool: 'files__write', match: 'args.path == "/"', effect: 'refuse' }),
  aRule({ id: 'write', tool: 'files__write', match: undefined, answer_by: ['ben'] }),
  aRule({ id: 'trial', tool: 'files__read', match: undefined, mode: 'shadow' }),
  ruleFromCode({ id: 'coded', tool: 'code__x', when: 'w', reason: 'r', matches: () => false }),
);

describe('the rule table', () => {
  it('lists the rules in evaluation order, in the shape of the contract', () => {
    const rows = ruleTable(rules);
    expect(rows.map(({ order, id }) => [order, id])).toEqual([
      [1, 'smash'],
      [2, 'eat'],
      [3, 'no-shell'],
      [4, 'rm'],
      [5, 'write'],
      [6, 'trial'],
      [7, 'coded'],
    ]);
    for (const row of rows) expect(RuleRow.parse(row)).toEqual(row);
    expect(rows[1]).toMatchObject({ match: 'args.action == "eat"', when: 'the action is "eat"', answerBy: [], expiresMs: 86_400_000 });
    expect(rows[1]).toMatchObject({ irreversible: true, remindMs: 1_800_000, title: '"Eat " + string(args.amount)' });
    expect(rows[4]).toMatchObject({ match: null, answerBy: ['ben'], irreversible: false, remindMs: null, title: null });
  });

  it.each([
    ['jar__smash', 'ask', ['smash']],
    ['jar__cookie_jar', 'depends', ['eat']],
    ['shell__run', 'refuse', ['no-shell']],
    ['files__write', 'depends', ['rm', 'write']],
    ['files__read', 'allow', ['trial']],
    ['code__x', 'depends', ['coded']],
    ['jar__history', 'allow', []],
  ])('says of %s: %s', (tool, verdict, ids) => {
    const [row] = toolRows(rules, [{ tool, state: 'accepted' }]);
    expect(ToolRow.parse(row)).toEqual({ tool, state: 'accepted', verdict, rules: ids });
  });
});
