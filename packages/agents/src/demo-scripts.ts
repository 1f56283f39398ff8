import { join } from 'node:path';
import type { Script } from './script.ts';

/**
 * What the agents of the sample config do when it is started with `--demo`: calls that pass, calls that a person must see first, one that a
 * rule turns down, and one by an agent who has not been admitted. `workspace` is the absolute folder that the files server was given.
 */
export function demoScripts(workspace: string): readonly Script[] {
  const at = (...parts: readonly string[]) => join(workspace, ...parts);
  return [
    {
      agent: 'researcher',
      steps: [
        { tool: 'files__list_directory', arguments: { path: workspace }, about: 'the workspace' },
        { tool: 'files__read_text_file', arguments: { path: at('plan.md') }, about: 'plan.md' },
        { tool: 'jar__cookie_jar', arguments: { action: 'count' }, about: 'count' },
        { tool: 'jar__cookie_jar', arguments: { action: 'eat', amount: 3 }, about: 'eat 3' },
        {
          tool: 'files__write_file',
          arguments: { path: at('notes', 'cookies.md'), content: 'Twelve cookies in the jar. Asked for three.\n' },
          about: 'notes/cookies.md',
        },
        {
          tool: 'files__write_file',
          arguments: { path: at('report.md'), content: '# Report\n\nThe plan is read, the cookies are counted.\n' },
          about: 'report.md',
        },
        { tool: 'files__write_file', arguments: { path: at('.profile'), content: 'export PATH=/tmp:$PATH\n' }, about: '.profile' },
      ],
    },
    {
      agent: 'treasurer',
      steps: [
        { tool: 'ledger__list_payments', arguments: {}, about: '' },
        {
          tool: 'ledger__send_money',
          arguments: { to: 'Corner Bakery', amount: 40, memo: 'Flour for November' },
          about: '40 to Corner Bakery',
        },
        { tool: 'ledger__send_money', arguments: { to: 'Northwind', amount: 250, memo: 'Invoice 1043' }, about: '250 to Northwind' },
      ],
    },
    {
      agent: 'newcomer',
      steps: [
        { tool: 'whoami', arguments: {}, about: '' },
        { tool: 'jar__cookie_jar', arguments: { action: 'count' }, about: 'count' },
      ],
    },
  ];
}
