import type { Client } from '@countersign/client';
import type { AuditEvent, AuditQuery } from '@countersign/contracts';
import { InvalidArgumentError } from 'commander';
import { type AddCommand, withJson } from '../cli.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { count } from '../numbers.ts';
import { type Paint, paintFor } from '../paint.ts';
import { type AnyFailure, noteLine, printAnswer, printLine, safeJson } from '../print.ts';
import { withAs, withRemote } from '../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../run-remote.ts';
import { type Show, show } from '../visible.ts';

type AuditFlags = RemoteCommand & {
  readonly type?: string;
  readonly agent?: string;
  readonly principal?: string;
  readonly call?: string;
  readonly decision?: string;
  readonly run?: string;
  readonly since?: string;
  readonly until?: string;
  readonly search?: string;
  readonly oldest?: boolean;
  readonly cursor?: string;
  readonly limit: number;
  readonly follow?: boolean;
};

/** `audit query`: what happened. */
export const addAudit: AddCommand = (program, { io, action }) => {
  const time = (text: string) => timeOf(text, io.now());
  const audit = program.command('audit').description('what happened: every call, decision, answer and change');
  withAs(withRemote(withJson(audit.command('query', { isDefault: true }))))
    .description('events by filter, newest first (the default)')
    .option('--type <types>', 'such as call.refused, or several with commas')
    .option('--agent <name>')
    .option('--principal <name>')
    .option('--call <id>')
    .option('--decision <id>')
    .option('--run <id>')
    .option('--since <time>', 'an ISO 8601 time, or how long ago: 90s, 30m, 4h, 7d', time)
    .option('--until <time>', 'the same', time)
    .option('--search <text>', 'with this text in it')
    .option('--oldest', 'oldest first')
    .option('--limit <n>', 'at most so many', count(1, 200), 50)
    .option('--cursor <cursor>', 'go on where `nextCursor` of an answer says')
    .option('--follow', 'then print what happens from now on, until Ctrl-C; with --json one event a line')
    .action(action((flags: AuditFlags) => query(io, flags)));
};

const query = (io: Io, flags: AuditFlags): Promise<ExitCode> =>
  runRemote(io, flags, 'principal', async ({ client }) => {
    const paint = paintFor(io.color.stdout);
    if (flags.follow)
      return follow(io, client, flags, (event) => printLine(io, flags.json ? safeJson(event) : eventLine(event, paint, show)));
    return andThen(client.audit.query(filterOf(flags)), (page) => {
      const text = () => page.items.map((event) => eventLine(event, paint, show)).join('\n') || 'Nothing that you may see.';
      printAnswer(io, { json: flags.json ?? false, value: page, text });
      if (page.nextCursor !== null && !flags.json) noteLine(io, `There is more: --cursor ${page.nextCursor}`);
    });
  });

const filterOf = ({
  type,
  agent,
  principal,
  call,
  decision,
  run,
  since,
  until,
  search,
  oldest,
  cursor,
  limit,
}: AuditFlags): Partial<AuditQuery> => {
  const given = {
    type,
    agent,
    principal,
    call,
    decision,
    run,
    since,
    until,
    q: search,
    cursor,
    limit,
    order: oldest ? 'oldest' : 'newest',
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
};

/** The last events of the filter in order, then everything after them. The event stream says when to look; the log says what there is. */
async function follow(io: Io, client: Client, flags: AuditFlags, print: (event: AuditEvent) => void) {
  const { followEvents } = await import('../follow-events.ts');
  let last: string | null = null;
  const printAll = (events: readonly AuditEvent[]): void => {
    for (const event of events) print(event);
    last = events.at(-1)?.cursor ?? last;
  };
  const printNew = async (): Promise<AnyFailure | null> => {
    for (;;) {
      const page = await client.audit.query({ ...filterOf(flags), order: 'oldest', limit: 200, ...(last !== null && { cursor: last }) });
      if (!page.ok) return page.error;
      printAll(page.value.items);
      if (page.value.nextCursor === null) return null;
    }
  };
  return followEvents(io, client, {
    onStart: async () => {
      const page = await client.audit.query({ ...filterOf(flags), order: 'newest' });
      if (!page.ok) return page.error;
      printAll(page.value.items.toReversed());
      return printNew();
    },
    onEvent: printNew,
  });
}

function eventLine({ at, type, actor, call, decision, agent, payload }: AuditEvent, paint: Paint, show: Show): string {
  const about = [agent, call, decision].filter((name): name is string => name !== null && name !== actor.name).map(show.line);
  return [
    paint.dim(at),
    paint.bold(type),
    `${actor.kind} ${show.line(actor.name)}`,
    ...about,
    paint.dim(show.line(JSON.stringify(payload))),
  ].join('  ');
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An ISO 8601 time, as it is, or a span before `now`. */
function timeOf(text: string, now: Date): string {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return new Date(now.getTime() - Number(amount) * (UNIT_MS[unit] ?? 0)).toISOString();
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('It is an ISO 8601 time such as 2026-11-30T12:00:00Z, or a span such as 30m.');
  }
  return time.toISOString();
}
