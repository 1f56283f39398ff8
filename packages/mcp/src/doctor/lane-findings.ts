import type { Finding, Lane, Scope } from '@countersign/contracts';
import type { ServedEra } from './era.ts';
import { ceilingOf, holds } from './missing.ts';
import { OWN_NAMES } from './probe.ts';
import { finding, type MissingTool } from './report.ts';

/** What the lane means to whoever wired this client, and what is withheld though the lane would allow it. */
export function laneFindings(lane: Lane, view: ServedEra, missing: readonly MissingTool[], hasToken: boolean): readonly Finding[] {
  switch (lane) {
    case 'anonymous':
      return [hasToken ? lostToken(view) : noToken(view)];
    case 'probation':
      return [onProbation(view), ...narrowedFindings(lane, view, missing)];
    case 'member':
      return [...narrowedFindings(lane, view, missing), ...noUpstream(lane, view)];
    case 'principal':
      return [ownToken(view), ...narrowedFindings(lane, view, missing), ...noUpstream(lane, view)];
    default:
      return lane satisfies never;
  }
}

const counts = ({ own, upstream }: ServedEra): string =>
  `${own.length} of the host's own ${OWN_NAMES.length} tools and ${upstream.length === 0 ? 'no upstream tool' : `${upstream.length} upstream tools`}`;

const noToken = (view: ServedEra): Finding =>
  finding(
    'token.missing',
    'warning',
    `No token came with the request, so this is the anonymous lane: ${counts(view)}.`,
    'Have the client send Authorization: Bearer with a token; countersign agents token NAME makes one. To look with it here, pass --token.',
  );

const lostToken = (view: ServedEra): Finding =>
  finding(
    'token.missing',
    'error',
    `You gave a token and the host saw none, so this is the anonymous lane: ${counts(view)}. Something between drops the Authorization header.`,
    'Have the proxy before the host pass Authorization on, or use an address that leads to the host itself.',
  );

const onProbation = (view: ServedEra): Finding =>
  finding(
    'agent.probation',
    'warning',
    `${view.identity?.agent ?? 'This agent'} is on probation until ${view.identity?.principal ?? 'its principal'} admits it: ${counts(view)}.`,
    `Admit it: countersign agents admit ${view.identity?.agent ?? 'NAME'}`,
  );

const ownToken = (view: ServedEra): Finding =>
  finding(
    'token.of_principal',
    'note',
    `This is ${view.identity?.principal ?? 'a principal'}'s own token, not an agent's: whatever holds it can answer decisions and change terms.`,
    'If an agent is to hold it, give it one of its own: countersign agents token NAME',
  );

function narrowedFindings(lane: Lane, view: ServedEra, missing: readonly MissingTool[]): readonly Finding[] {
  const { identity } = view;
  const withheld = ceilingOf(lane).filter((scope) => !holds(lane, view, scope));
  const isOfCredential = (scope: Scope): boolean =>
    identity?.missing.some((one) => one.scope === scope && one.by === 'credential') ?? false;
  const hiddenBy = (scopes: readonly Scope[]): string =>
    missing
      .filter(({ scope }) => scopes.includes(scope))
      .map(({ name }) => name)
      .join(', ');
  const byMandate = withheld.filter((scope) => !isOfCredential(scope));
  const byCredential = withheld.filter(isOfCredential);
  const findings: Finding[] = [];
  if (byMandate.length > 0) {
    const whose = identity?.principal ? `The mandate of ${identity.principal} is` : 'The mandate, or this credential, is';
    const message = `${whose} narrower than the ${lane} lane. Without ${byMandate.join(', ')}, these are hidden: ${hiddenBy(byMandate)}.`;
    const fix = `If that is not meant, ${identity?.principal ?? 'the principal'} adds the scopes (countersign mandate set); it holds from the next request on.`;
    findings.push(finding('mandate.narrowed', 'warning', message, fix));
  }
  if (byCredential.length > 0) {
    const message = `This credential was issued without ${byCredential.join(', ')}, so these are hidden: ${hiddenBy(byCredential)}.`;
    const fix = `If that is not meant, make one without --scopes: countersign agents token ${identity?.agent ?? 'NAME'}`;
    findings.push(finding('credential.narrowed', 'warning', message, fix));
  }
  return findings;
}

function noUpstream(lane: Lane, view: ServedEra): readonly Finding[] {
  if (!holds(lane, view, 'tools:call') || view.upstream.length > 0) return [];
  const message = 'You may call upstream tools, and the host lists none: no server is configured, or none has connected since it started.';
  const fix = 'Look at servers in its config, and at what its log says of them.';
  return [finding('upstream.no_tools', 'warning', message, fix)];
}
