import type { Principal } from '@countersign/contracts';
import { type AddCommand, withJson } from '../cli.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../paint.ts';
import { printAnswer } from '../print.ts';
import { withRemote } from '../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../run-remote.ts';
import { type Column, table } from '../table.ts';
import { type Show, show } from '../visible.ts';

type AddFlags = RemoteCommand & { readonly displayName?: string; readonly email?: string };

/** `principals [list | add]`: the people, for the operator. */
export const addPrincipals: AddCommand = (program, { io, action }) => {
  const principals = program.command('principals').description('the people who answer (operator)');
  withRemote(withJson(principals.command('list', { isDefault: true })))
    .description('everybody (the default)')
    .action(action((flags: RemoteCommand) => list(io, flags)));
  withRemote(withJson(principals.command('add')))
    .description('add a person, whose mandate is empty until they set it')
    .argument('<name>', 'a small letter, then small letters, digits or -')
    .option('--display-name <text>', 'their name as people write it')
    .option('--email <address>')
    .action(action((name: string, flags: AddFlags) => add(io, name, flags)));
};

const list = (io: Io, flags: RemoteCommand) =>
  runRemote(io, flags, 'operator', ({ client }) =>
    andThen(client.principals.list({ limit: 200 }), async (page) => {
      const text = () => (page.items.length === 0 ? 'Nobody yet.' : table(page.items, columns(show), paintFor(io.color.stdout).dim));
      printAnswer(io, { json: flags.json ?? false, value: page, text });
    }),
  );

const columns = (show: Show): readonly Column<Principal>[] => [
  { title: 'principal', of: ({ name }) => show.line(name) },
  { title: 'name', of: ({ displayName }) => show.line(displayName) },
  { title: 'email', of: ({ email }) => show.line(email ?? '') },
];

const add = (io: Io, name: string, { displayName, email, ...flags }: AddFlags) =>
  runRemote(io, flags, 'operator', ({ client }) =>
    andThen(client.principals.create({ name, displayName: displayName ?? name, ...(email !== undefined && { email }) }), (principal) => {
      const text = () => `${principal.name} is a principal now: countersign login ${principal.name}`;
      printAnswer(io, { json: flags.json ?? false, value: principal, text });
    }),
  );
