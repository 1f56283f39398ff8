import type { Decision, DecisionPage } from '@countersign/contracts';
import { since, until } from '../../age.ts';
import { type AddCommand, withJson } from '../../cli.ts';
import type { Io } from '../../io.ts';
import { count } from '../../numbers.ts';
import { type Paint, paintFor } from '../../paint.ts';
import { noteLine, printAnswer } from '../../print.ts';
import { withAs, withRemote } from '../../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../../run-remote.ts';
import { type Column, table } from '../../table.ts';
import { type Show, show } from '../../visible.ts';

type ListFlags = RemoteCommand & {
  readonly state: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly rule?: string;
  readonly kind?: string;
  readonly search?: string;
  readonly deadline?: boolean;
  readonly limit: number;
};

export const addList: AddCommand = (decisions, { io, action }) => {
  withAs(withRemote(withJson(decisions.command('list', { isDefault: true }))))
    .description('what waits for your answer, oldest first (the default)')
    .option('--state <states>', 'pending, approved, refused, expired, withdrawn, or several with commas', 'pending')
    .option('--agent <name>', 'of this agent')
    .option('--tool <name>', 'about this tool')
    .option('--rule <id>', 'because of this rule')
    .option('--kind <kinds>', 'call, request, spend, tool, outcome')
    .option('--search <text>', 'with this text in it')
    .option('--deadline', 'nearest deadline first')
    .option('--limit <n>', 'at most so many', count(1, 200), 50)
    .action(action((flags: ListFlags) => list(io, flags)));
};

const list = (io: Io, flags: ListFlags) =>
  runRemote(io, flags, 'principal', ({ client }) =>
    andThen(client.decisions.list(queryOf(flags)), async (page) => {
      printAnswer(io, { json: flags.json ?? false, value: page, text: () => listText(io, page, show) });
      if (page.nextCursor !== null && !flags.json) noteLine(io, `There are more than ${flags.limit}: narrow it down, or raise --limit.`);
    }),
  );

// The API takes lists with commas as they are.
const queryOf = ({ state, agent, tool, rule, kind, search, deadline, limit }: ListFlags) => {
  const given = { state, agent, tool, rule, kind, q: search, limit, sort: deadline ? 'deadline' : 'age' };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as object;
};

function listText(io: Io, page: DecisionPage, show: Show): string {
  const paint = paintFor(io.color.stdout);
  if (page.items.length === 0) return 'Nothing waits for an answer here.';
  return table(page.items, columns(io.now(), paint, show), paint.dim);
}

/** Characters of a headline in the list; the record has all of it. */
const HEADLINE = 60;

const columns = (now: Date, paint: Paint, show: Show): readonly Column<Decision>[] => [
  { title: 'id', of: ({ id }) => id },
  { title: 'what', of: ({ title }) => clipped(show.line(title)) },
  { title: 'agent', of: ({ agent }) => show.line(agent) },
  { title: 'for', of: ({ principal }) => show.line(principal) },
  { title: 'why', of: ({ grounds }) => grounds.map(({ rule, kind }) => show.line(rule ?? kind)).join(', ') },
  { title: 'age', of: ({ createdAt }) => since(createdAt, now), align: 'right' },
  { title: 'state', of: ({ state, expiresAt }) => (state === 'pending' ? until(expiresAt, now) : state), style: paint.bold },
];

function clipped(text: string): string {
  const characters = [...text];
  return characters.length > HEADLINE ? `${characters.slice(0, HEADLINE - 1).join('')}…` : text;
}
