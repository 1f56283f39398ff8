import type { Agent, Credential } from '@countersign/contracts';
import { since } from '../age.ts';
import { type AddCommand, type Cli, withJson } from '../cli.ts';
import type { Io } from '../io.ts';
import { count } from '../numbers.ts';
import { paintFor } from '../paint.ts';
import { noteLine, printAnswer } from '../print.ts';
import { withRemote } from '../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../run-remote.ts';
import { type Column, table } from '../table.ts';
import { type Show, show } from '../visible.ts';

type AddFlags = RemoteCommand & { readonly principal?: string; readonly description?: string };
type TokenFlags = RemoteCommand & { readonly label?: string; readonly ttlDays?: number; readonly scopes?: string };

/** `agents [list | add | admit | suspend | credentials | token | revoke]`: for the operator, or a principal about its own agents. */
export const addAgents: AddCommand = (program, cli) => {
  const agents = program.command('agents').description('the programs that act for principals, and their credentials (operator)');
  const add = (name: string, isDefault = false) => withRemote(withJson(agents.command(name, { isDefault })));
  const { io, action } = cli;
  add('list', true)
    .description('every agent and its lane (the default)')
    .action(action((flags: RemoteCommand) => list(io, flags)));
  add('add')
    .description('add an agent; it is on probation until it is admitted')
    .argument('<name>')
    .option('--principal <name>', 'for whom it acts; the operator must say')
    .option('--description <text>', 'what it does')
    .action(action((name: string, flags: AddFlags) => create(io, name, flags)));
  addStatus(add, cli);
  addCredentials(add, cli);
};

type AddSub = (name: string) => ReturnType<typeof withJson>;

function addStatus(add: AddSub, { io, action }: Cli): void {
  add('admit')
    .description("make it a member: the servers' tools are shown to it")
    .argument('<name>')
    .action(action((name: string, flags: RemoteCommand) => setStatus(io, 'admit', name, flags)));
  add('suspend')
    .description('stop it: nothing of it runs any more, its open questions are withdrawn')
    .argument('<name>')
    .action(action((name: string, flags: RemoteCommand) => setStatus(io, 'suspend', name, flags)));
}

function addCredentials(add: AddSub, { io, action }: Cli): void {
  add('credentials')
    .description('the credentials of an agent, without their secrets')
    .argument('<name>')
    .action(action((name: string, flags: RemoteCommand) => credentials(io, name, flags)));
  add('token')
    .description('issue a credential; its secret is printed this once')
    .argument('<name>')
    .option('--label <text>', 'where it is used')
    .option('--ttl-days <n>', 'how long it is good for', count(1, 3650))
    .option('--scopes <names>', 'only these scopes, with commas')
    .action(action((name: string, flags: TokenFlags) => issue(io, name, flags)));
  add('revoke')
    .description('revoke a credential, at once')
    .argument('<credential>', 'crd_…')
    .action(action((id: string, flags: RemoteCommand) => revoke(io, id, flags)));
}

const list = (io: Io, flags: RemoteCommand) =>
  runRemote(io, flags, 'operator_first', ({ client }) =>
    andThen(client.agents.list({ limit: 200 }), async (page) => {
      const text = () =>
        page.items.length === 0 ? 'No agents.' : table(page.items, agentColumns(show, io.now()), paintFor(io.color.stdout).dim);
      printAnswer(io, { json: flags.json ?? false, value: page, text });
    }),
  );

const agentColumns = (show: Show, now: Date): readonly Column<Agent>[] => [
  { title: 'agent', of: ({ name }) => show.line(name) },
  { title: 'acts for', of: ({ principal }) => show.line(principal) },
  { title: 'status', of: ({ status }) => status },
  { title: 'seen', of: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : `${since(lastSeenAt, now)} ago`), align: 'right' },
  { title: 'description', of: ({ description }) => show.line(description) },
];

const create = (io: Io, name: string, { principal, description, ...flags }: AddFlags) =>
  runRemote(io, flags, 'operator_first', ({ client }) =>
    andThen(
      client.agents.create({ name, ...(principal !== undefined && { principal }), ...(description !== undefined && { description }) }),
      (agent) => {
        const text = () => `${agent.name} acts for ${agent.principal} and is on ${agent.status}: countersign agents token ${agent.name}`;
        printAnswer(io, { json: flags.json ?? false, value: agent, text });
      },
    ),
  );

const setStatus = (io: Io, verb: 'admit' | 'suspend', name: string, flags: RemoteCommand) =>
  runRemote(io, flags, 'operator_first', ({ client }) =>
    andThen(client.agents[verb](name), (agent) => {
      printAnswer(io, { json: flags.json ?? false, value: agent, text: () => `${agent.name}: ${agent.status}.` });
    }),
  );

const credentials = (io: Io, name: string, flags: RemoteCommand) =>
  runRemote(io, flags, 'operator_first', ({ client }) =>
    andThen(client.agents.credentials(name, { limit: 200 }), async (page) => {
      const text = () =>
        page.items.length === 0 ? 'No credentials.' : table(page.items, credentialColumns(show, io.now()), paintFor(io.color.stdout).dim);
      printAnswer(io, { json: flags.json ?? false, value: page, text });
    }),
  );

const credentialColumns = (show: Show, now: Date): readonly Column<Credential>[] => [
  { title: 'credential', of: ({ id }) => id },
  { title: 'label', of: ({ label }) => show.line(label) },
  { title: 'scopes', of: ({ scopes }) => (scopes === null ? 'all of its lane' : scopes.join(', ')) },
  { title: 'used', of: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : `${since(lastUsedAt, now)} ago`), align: 'right' },
  { title: 'state', of: (credential) => credentialState(credential, now) },
];

function credentialState({ revokedAt, expiresAt }: Credential, now: Date): string {
  if (revokedAt !== null) return `revoked ${since(revokedAt, now)} ago`;
  if (expiresAt === null) return 'good until revoked';
  return Date.parse(expiresAt) <= now.getTime() ? 'expired' : `good until ${expiresAt}`;
}

const issue = (io: Io, name: string, { label, ttlDays, scopes, ...flags }: TokenFlags) =>
  runRemote(io, flags, 'operator_first', ({ client }) => {
    // Which scopes there are is the host's to say: it names one that does not exist, or is never given to an agent.
    const given = { label, ttl_days: ttlDays, scopes: scopes?.split(',').map((scope) => scope.trim()) };
    const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as object;
    return andThen(client.agents.issueCredential(name, input), (value) => {
      printAnswer(io, { json: flags.json ?? false, value, text: () => value.token });
      if (!flags.json)
        noteLine(io, `${value.id}, shown this once. ${value.expiresAt === null ? '' : `Good until ${value.expiresAt}.`}`.trimEnd());
    });
  });

const revoke = (io: Io, id: string, flags: RemoteCommand) =>
  runRemote(io, flags, 'operator_first', ({ client }) =>
    andThen(client.credentials.revoke(id), () => {
      printAnswer(io, { json: flags.json ?? false, value: { id, revoked: true }, text: () => `${id}: revoked.` });
    }),
  );
