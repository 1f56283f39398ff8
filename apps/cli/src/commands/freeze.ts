import type { HostState } from '@countersign/contracts';
import { type AddCommand, withJson } from '../cli.ts';
import { printAnswer } from '../print.ts';
import { withAs, withRemote } from '../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../run-remote.ts';
import { show } from '../visible.ts';

/** `freeze REASON` and `thaw`: the big switch, for a principal or the operator. */
export const addFreeze: AddCommand = (program, { io, action }) => {
  const print = async (json: boolean | undefined, state: HostState): Promise<void> => {
    const text = () =>
      state.frozen
        ? `Frozen by ${show.line(state.frozenBy ?? '')}: ${show.line(state.reason ?? '')}. Nothing is dispatched and every call is asked about, until \`countersign thaw\`.`
        : 'Not frozen.';
    printAnswer(io, { json: json ?? false, value: state, text });
  };
  withAs(withRemote(withJson(program.command('freeze'))))
    .description('stop every dispatch, ask about every call, and stop the deadlines')
    .argument('<reason>', 'why, for everybody who is asked')
    .action(
      action((reason: string, flags: RemoteCommand) =>
        runRemote(io, flags, 'principal_first', ({ client }) => andThen(client.host.freeze(reason), (state) => print(flags.json, state))),
      ),
    );
  withAs(withRemote(withJson(program.command('thaw'))))
    .description('lift the freeze')
    .action(
      action((flags: RemoteCommand) =>
        runRemote(io, flags, 'principal_first', ({ client }) => andThen(client.host.thaw(), (state) => print(flags.json, state))),
      ),
    );
};
