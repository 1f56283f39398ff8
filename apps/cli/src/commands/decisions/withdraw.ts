import { type AddCommand, withJson } from '../../cli.ts';
import { printAnswer } from '../../print.ts';
import { withAs, withRemote } from '../../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../../run-remote.ts';

type WithdrawFlags = RemoteCommand & { readonly reason: string };

export const addWithdraw: AddCommand = (decisions, { io, action }) => {
  withAs(withRemote(withJson(decisions.command('withdraw'))))
    .description('take a question of your agents back; it is no refusal')
    .argument('<id>', 'dec_…')
    .option('--reason <text>', 'why, for the record and the agent', 'Withdrawn from the command line.')
    .action(
      action((id: string, flags: WithdrawFlags) =>
        runRemote(io, flags, 'principal', ({ client }) =>
          andThen(client.decisions.withdraw(id, flags.reason), (decision) => {
            printAnswer(io, { json: flags.json ?? false, value: decision, text: () => `${decision.id}: ${decision.state}.` });
          }),
        ),
      ),
    );
};
