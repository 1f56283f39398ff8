import { type AddCommand, withJson } from '../cli.ts';
import type { Io } from '../io.ts';
import { count } from '../numbers.ts';
import { noteLine, printAnswer } from '../print.ts';
import { withRemote } from '../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../run-remote.ts';

type LoginFlags = RemoteCommand & { readonly token?: boolean; readonly ttlDays?: number };

/** `login PRINCIPAL`: the operator lets a principal in. */
export const addLogin: AddCommand = (program, { io, action }) => {
  withRemote(withJson(program.command('login')))
    .description('print a link that logs a principal in, once; or a token for the command line (operator)')
    .argument('<principal>')
    .option('--token', "print a principal's token for COUNTERSIGN_TOKEN instead of a link")
    .option('--ttl-days <n>', 'with --token: how long it is good for', count(1, 3650))
    .action(action((principal: string, flags: LoginFlags) => (flags.token ? token(io, principal, flags) : link(io, principal, flags))));
};

const link = (io: Io, principal: string, flags: LoginFlags) =>
  runRemote(io, flags, 'operator', ({ client }) =>
    andThen(client.principals.loginLink(principal), (value) => {
      printAnswer(io, { json: flags.json ?? false, value, text: () => value.url });
      if (!flags.json) noteLine(io, `Good once, until ${value.expiresAt}.`);
    }),
  );

const token = (io: Io, principal: string, flags: LoginFlags) =>
  runRemote(io, flags, 'operator', ({ client }) =>
    andThen(client.principals.issueToken(principal, flags.ttlDays === undefined ? {} : { ttl_days: flags.ttlDays }), (value) => {
      printAnswer(io, { json: flags.json ?? false, value, text: () => value.token });
      if (!flags.json) noteLine(io, `Shown this once. Whoever has it answers as ${principal}: export COUNTERSIGN_TOKEN=…`);
    }),
  );
