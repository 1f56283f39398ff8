import type { Client } from '@countersign/client';
import type { Decision } from '@countersign/contracts';
import { until } from '../../age.ts';
import { type AddCommand, withJson } from '../../cli.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../paint.ts';
import { type AnyFailure, noteLine, printLine, safeJson } from '../../print.ts';
import { withAs, withRemote } from '../../remote.ts';
import { type RemoteCommand, runRemote } from '../../run-remote.ts';
import { type Show, show } from '../../visible.ts';

export const addWatch: AddCommand = (decisions, { io, action }) => {
  withAs(withRemote(withJson(decisions.command('watch'))))
    .description('what waits now, then every change as it happens, until Ctrl-C; with --json one record a line')
    .action(
      action((flags: RemoteCommand) =>
        runRemote(io, flags, 'principal', async ({ client }) => {
          const print = flags.json ? (decision: Decision) => printLine(io, safeJson(decision)) : linePrinter(io, show);
          return watch(io, client, print);
        }),
      ),
    );
};

/** Prints each state of each decision once. */
async function watch(io: Io, client: Client, print: (decision: Decision) => void) {
  const printed = new Map<string, number>();
  const printNew = (decision: Decision): void => {
    if (printed.get(decision.id) === decision.version) return;
    printed.set(decision.id, decision.version);
    print(decision);
  };
  const printPending = async (): Promise<AnyFailure | null> => {
    const page = await client.decisions.list({ limit: 200 });
    if (!page.ok) return page.error;
    for (const decision of page.value.items.filter(({ state }) => state === 'pending')) printNew(decision);
    return null;
  };
  const { followEvents } = await import('../../follow-events.ts');
  return followEvents(io, client, {
    onStart: printPending,
    onEvent: async ({ type, id }) => {
      if (type === 'resync') return printPending();
      if (type !== 'decision') return null;
      const found = await client.decisions.get(id);
      // Another's decision, or one that is gone: nothing to print.
      if (!found.ok) return found.error.code === 'not_found' ? null : found.error;
      printNew(found.value);
      return null;
    },
  });
}

function linePrinter(io: Io, show: Show): (decision: Decision) => void {
  const paint = paintFor(io.color.stdout);
  noteLine(io, 'Watching. Ctrl-C ends it.');
  return (decision) => printLine(io, watchLine(decision, io.now(), paint, show));
}

function watchLine(decision: Decision, now: Date, paint: Paint, show: Show): string {
  const { id, state, title, agent, answers, expiresAt } = decision;
  const by = answers.length > 0 && state !== 'pending' ? ` by ${answers.map((answer) => show.line(answer.principal)).join(' and ')}` : '';
  const words = state === 'pending' ? paint.amber(`pending, ${until(expiresAt, now)}`) : `${paint.bold(state)}${by}`;
  return `${id}  ${words}  ${show.line(agent)}: ${show.line(title)}`;
}
