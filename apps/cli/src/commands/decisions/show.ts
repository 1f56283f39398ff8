import { type AddCommand, withJson } from '../../cli.ts';
import { decisionText } from '../../decision-text.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../paint.ts';
import { printAnswer } from '../../print.ts';
import { withAs, withRemote } from '../../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../../run-remote.ts';
import { show } from '../../visible.ts';

export const addShow: AddCommand = (decisions, { io, action }) => {
  withAs(withRemote(withJson(decisions.command('show'))))
    .description('the whole record: why, who, what led to it, the exact arguments, answers and outcome')
    .argument('<id>', 'dec_…')
    .action(action((id: string, flags: RemoteCommand) => showDecision(io, id, flags)));
};

const showDecision = (io: Io, id: string, flags: RemoteCommand) =>
  runRemote(io, flags, 'principal', ({ client }) =>
    andThen(client.decisions.get(id), async (decision) => {
      const view = { paint: paintFor(io.color.stdout), show, now: io.now() };
      printAnswer(io, { json: flags.json ?? false, value: decision, text: () => decisionText(decision, view) });
    }),
  );
