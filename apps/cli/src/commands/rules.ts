import type { Ground, RuleRow, RuleTable, ToolRow, TryReport } from '@countersign/contracts';
import { span } from '../age.ts';
import { type AddCommand, withJson } from '../cli.ts';
import type { Io } from '../io.ts';
import { readJsonInput } from '../json-input.ts';
import { type Paint, paintFor } from '../paint.ts';
import { printAnswer } from '../print.ts';
import { withAs, withRemote } from '../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../run-remote.ts';
import { type Column, table } from '../table.ts';
import { type Show, show } from '../visible.ts';

type TryFlags = RemoteCommand & { readonly agent?: string };

/** `rules [list | try]`. */
export const addRules: AddCommand = (program, { io, action }) => {
  const rules = program.command('rules').description("the host's rules, and what they would say to a call");
  withRemote(withJson(rules.command('list', { isDefault: true })))
    .description('the rules in evaluation order, and the verdict on each known tool (the default)')
    .action(action((flags: RemoteCommand) => list(io, flags)));
  withAs(withRemote(withJson(rules.command('try'))))
    .description('what would become of one call, and what each rule and term says; nothing is asked or run')
    .argument('<tool>', 'server__tool')
    .argument('<arguments>', 'JSON, a file, or - for standard input')
    .option('--agent <name>', 'as if this agent of yours called')
    .action(action((tool: string, args: string, flags: TryFlags) => tryCall(io, tool, args, flags)));
};

const list = (io: Io, flags: RemoteCommand) =>
  runRemote(io, flags, 'principal_first', ({ client }) =>
    andThen(client.rules.table(), async (value) => {
      printAnswer(io, { json: flags.json ?? false, value, text: () => rulesText(value, paintFor(io.color.stdout), show) });
    }),
  );

const tryCall = (io: Io, tool: string, given: string, flags: TryFlags) =>
  runRemote(io, flags, 'principal', async ({ client }) => {
    const args = await readJsonInput(io, given);
    if (!args.ok) return args;
    const input = { tool, arguments: args.value, ...(flags.agent !== undefined && { agent: flags.agent }) };
    return andThen(client.rules.try(input), async (value) => {
      printAnswer(io, { json: flags.json ?? false, value, text: () => reportText(value, paintFor(io.color.stdout), show) });
    });
  });

function rulesText({ rules, tools, digest }: RuleTable, paint: Paint, show: Show): string {
  return [
    rules.length === 0 ? 'No rules.' : table(rules, ruleColumns(show), paint.dim),
    '',
    tools.length === 0 ? 'No tools are known yet.' : table(tools, toolColumns(show), paint.dim),
    '',
    paint.dim(`rules ${digest}`),
  ].join('\n');
}

const ruleColumns = (show: Show): readonly Column<RuleRow>[] => [
  { title: '#', of: ({ order }) => String(order), align: 'right' },
  { title: 'rule', of: ({ id }) => show.line(id) },
  { title: 'tool', of: ({ tool }) => show.line(tool) },
  { title: 'effect', of: ({ effect, mode }) => (mode === 'shadow' ? `${effect} (shadow)` : effect) },
  { title: 'asks', of: asks },
  { title: 'waits', of: ({ effect, expiresMs }) => (effect === 'refuse' ? '' : span(expiresMs)), align: 'right' },
  { title: 'when', of: ({ when }) => show.line(when) },
];

function asks({ effect, answerBy, needs }: RuleRow): string {
  if (effect === 'refuse') return '';
  const whom = answerBy.length === 0 ? "the agent's principal" : answerBy.join(', ');
  return needs > 1 ? `${needs} of ${whom}` : whom;
}

const toolColumns = (show: Show): readonly Column<ToolRow>[] => [
  { title: 'tool', of: ({ tool }) => show.line(tool) },
  { title: 'verdict', of: ({ verdict }) => (verdict === 'depends' ? 'depends on the arguments' : verdict) },
  { title: 'state', of: ({ state }) => (state === 'accepted' ? '' : state) },
  { title: 'rules', of: ({ rules }) => rules.map(show.line).join(', ') },
];

function reportText({ effect, grounds, considered }: TryReport, paint: Paint, show: Show): string {
  return [
    paint.bold(VERDICT[effect]),
    ...grounds.map((ground) => `  ${groundLine(ground, show)}`),
    ...(considered.length === 0 ? [] : ['', table(considered, consideredColumns(show), paint.dim)]),
  ].join('\n');
}

const VERDICT: Readonly<Record<TryReport['effect'], string>> = {
  allow: 'allow: it would run',
  ask: 'ask: it would be held until a person answers',
  refuse: 'refuse: it would be turned down',
};

const groundLine = ({ kind, rule, effect, reason, mode }: Ground, show: Show): string =>
  `${rule === undefined ? kind : `${kind} ${show.line(rule)}`} ${effect}${mode === 'shadow' ? ' (shadow)' : ''}: ${show.line(reason)}`;

const consideredColumns = (show: Show): readonly Column<TryReport['considered'][number]>[] => [
  { title: 'looked at', of: ({ kind, id }) => `${kind} ${show.line(id)}` },
  { title: 'said', of: ({ said }) => said },
  { title: 'when', of: ({ when }) => show.line(when) },
  { title: 'detail', of: ({ detail }) => (detail === null ? '' : show.line(detail)) },
];
