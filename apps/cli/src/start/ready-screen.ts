import type { Paint } from '../paint.ts';

export type Ready = {
  /** Where people go. */
  readonly url: string;
  /** Where agents go. */
  readonly mcp: string;
  /** A one-time link and whom it logs in; null where there is no principal yet. */
  readonly login: { readonly url: string; readonly principal: string } | null;
  readonly dataDir: string;
  /** An agent and its fresh credential for the snippet; null without --demo. */
  readonly agent: { readonly name: string; readonly token: string } | null;
  /** Principals beside the one that the link is for. */
  readonly others: readonly string[];
};

/** What a person needs next, once the host answers. */
export function readyScreen(ready: Ready, paint: Paint): string {
  return [
    paint.bold('Countersign is ready.'),
    '',
    ...inboxLines(ready, paint),
    '',
    `${paint.dim('Agents ')}  ${ready.mcp}`,
    ...snippetLines(ready, paint),
    '',
    `${paint.dim('Data   ')}  ${ready.dataDir}`,
    `${paint.dim('Stop   ')}  Ctrl-C: what runs is finished or handed back first. What is held stays held.`,
  ].join('\n');
}

function inboxLines({ url, login, others }: Ready, paint: Paint): readonly string[] {
  if (login === null) {
    return [`${paint.dim('Inbox  ')}  ${url}`, '         Nobody can log in yet: name a principal in the config, or add one.'];
  }
  const more = others.map((name) => `countersign login ${name}`).join(', ');
  return [
    `${paint.dim('Inbox  ')}  ${paint.bold(login.url)}`,
    `         Logs ${login.principal} in, once. Again: countersign login ${login.principal}${more === '' ? '' : `; or: ${more}`}`,
  ];
}

function snippetLines({ mcp, agent }: Ready, paint: Paint): readonly string[] {
  const token = agent?.token ?? 'csa_…';
  const config = { mcpServers: { countersign: { type: 'http', url: mcp, headers: { Authorization: `Bearer ${token}` } } } };
  const heading =
    agent === null
      ? 'Paste into an MCP client, with the credential that `countersign agents token NAME` prints:'
      : `Paste into an MCP client, to be ${agent.name}:`;
  return [
    `         ${paint.dim(heading)}`,
    ...JSON.stringify(config, null, 2)
      .split('\n')
      .map((line) => `         ${line}`),
    `         ${paint.dim('or:')} claude mcp add --transport http countersign ${mcp} --header "Authorization: Bearer ${token}"`,
  ];
}
