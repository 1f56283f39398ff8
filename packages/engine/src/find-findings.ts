/** What only the host can see of its own health, for `doctor`. Reads; changes nothing. */
import type { Config, Finding, HostFindings } from '@countersign/contracts';
import { matchesPattern, type Rule, type RuleSet } from '@countersign/core';
import { countUnsealed, listPrincipals, listTools, reachablePrincipals } from '@countersign/store';
import type { Doer } from './actor.ts';
import type { EngineDeps } from './deps.ts';
import { findDrift } from './find-drift.ts';
import type { UpstreamStatus } from './upstreams.ts';

/** Findings of one kind that are told one by one; the rest is told as a number. A host may have thousands of rules. */
const EACH = 20;

/**
 * Everything that keeps decisions from reaching people, or calls from reaching servers, and where the file and the database say different
 * things. `file`: the config as it was read. A principal hears of drift in what is its own; the operator of all of it.
 */
export async function findFindings(deps: EngineDeps, doer: Doer, file: Pick<Config, 'principals' | 'agents'>): Promise<HostFindings> {
  const { db } = deps.store;
  const now = deps.now();
  const [{ host }, principals, tools, reachable, unsealed] = await Promise.all([
    deps.authority.host('current'),
    listPrincipals(db),
    listTools(db),
    reachablePrincipals(db, now),
    countUnsealed(db),
  ]);
  const names = principals.map(({ name }) => name);
  const statuses = deps.upstreams.status();
  const quarantined = tools.filter(({ state, key }) => state === 'quarantined' && deps.upstreams.tool(key)).map(({ key }) => key);
  return {
    checkedAt: now,
    findings: [
      ...(host.frozen ? [frozenFinding(host.frozen)] : []),
      ...statuses.flatMap(upstreamFindings),
      ...capped(quarantined.map(quarantineFinding), 'tools are quarantined'),
      ...capped(unanswerable(deps.rules(), names), 'rules ask more people than there are'),
      ...capped(neverMatching(deps, statuses), 'rules name no known tool'),
      ...capped(namingNoTool(deps, statuses), 'entries of tools name no known tool'),
      ...unreachable(names, reachable),
      ...(await findDrift(db, doer, file)),
      ...(unsealed > 0 ? [unsealedFinding(unsealed)] : []),
    ],
  };
}

function capped(findings: readonly Finding[], rest: string): readonly Finding[] {
  const [first] = findings;
  const more = findings.length - EACH;
  if (first === undefined || more <= 0) return findings;
  return [...findings.slice(0, EACH), { ...first, message: `${more} more ${rest}.` }];
}

const frozenFinding = ({ at, by, reason }: { readonly at: string; readonly by: string; readonly reason: string }): Finding => ({
  code: 'host.frozen',
  severity: 'warning',
  message: `The host is frozen since ${at} by ${by} (${reason}): nothing is dispatched, and every call is asked about.`,
  fix: 'Lift it when you are ready: countersign thaw',
});

function upstreamFindings({ server, state, since, error, tools, refused }: UpstreamStatus): readonly Finding[] {
  const why = error === undefined ? '' : ` ${error}`;
  const listed = tools === 0 ? 'None of its tools is listed.' : `Its ${tools} tools stay listed, and their calls fail.`;
  const down: Finding = {
    code: 'upstream.down',
    severity: 'error',
    message: `The upstream server ${server} is ${state === 'down' ? 'down' : 'being connected to'} since ${since}.${why} ${listed}`,
    fix: `Start it, or correct servers.${server} in the config; the host tries again by itself.`,
  };
  const [first] = refused;
  if (first === undefined) return state === 'ready' ? [] : [down];
  const unregistered: Finding = {
    code: 'upstream.tool_refused',
    severity: 'warning',
    message: `${refused.length} tools of the upstream server ${server} are not registered. The first is ${first.name}: ${first.reason}`,
    fix: `Correct the definitions at ${server}, then have the host connect to it again.`,
  };
  return state === 'ready' ? [unregistered] : [down, unregistered];
}

const quarantineFinding = (tool: string): Finding => ({
  code: 'tool.quarantined',
  severity: 'warning',
  message: `The tool ${tool} changed its definition and is quarantined: every call of it is asked about.`,
  fix: 'Answer the decision about it in your inbox: it shows the new definition. After a "no" it waits for the server to change it back.',
});

/** Rules whose decisions could never be approved: their calls are refused at once (C10). */
function unanswerable({ rules }: RuleSet, principals: readonly string[]): readonly Finding[] {
  const asking = rules.filter((rule) => rule.effect === 'ask' && rule.mode === 'enforce');
  return asking.flatMap((rule): readonly Finding[] => {
    if (rule.answerBy === null) return rule.needs > 1 ? [needsTooMany(rule, "only the agent's own principal answers it")] : [];
    const known = new Set(rule.answerBy.filter((name) => principals.includes(name)));
    if (known.size > 0) {
      return rule.needs > known.size ? [needsTooMany(rule, `only ${[...known].join(' and ')} may answer it`)] : [];
    }
    const message = `The rule ${rule.id} is answered by ${rule.answerBy.join(' or ')}, and there is no such principal here: calls that it asks about are refused at once.`;
    const fix = `Add one of them (countersign principals add ${rule.answerBy[0]}), or name a principal of this host in answer_by.`;
    return [{ code: 'rule.nobody_can_answer', severity: 'error', message, fix }];
  });
}

const needsTooMany = ({ id, needs }: Rule, who: string): Finding => ({
  code: 'rule.needs_too_many',
  severity: 'error',
  message: `The rule ${id} needs ${needs} approvals, and ${who}: calls that it asks about are refused at once.`,
  fix: `Name ${needs} principals of this host in its answer_by, or lower its needs.`,
});

function neverMatching(deps: EngineDeps, statuses: readonly UpstreamStatus[]): readonly Finding[] {
  const { rules, for: rulesFor } = deps.rules();
  const matching = new Set(deps.upstreams.tools().flatMap(({ key, server, name }) => rulesFor(key, `${server}__${name}`)));
  return rules
    .filter((rule) => !matching.has(rule) && !mayNameUnknown(rule.tool, statuses))
    .map(({ id, tool }) => ({
      code: 'rule.never_matches',
      severity: 'warning',
      message: `The rule ${id} is for ${tool}, and no tool of that name is known here: it never applies.`,
      fix: 'Correct its tool: countersign rules shows the tools that are known.',
    }));
}

/** What a server offers that never connected is not known: what names a tool of it may be right. */
function mayNameUnknown(pattern: string, statuses: readonly UpstreamStatus[]): boolean {
  const [head = ''] = pattern.split('*');
  const prefixes = statuses.filter(({ state, tools }) => state !== 'ready' && tools === 0).map(({ server }) => `${server}__`);
  return prefixes.some((prefix) => head.startsWith(prefix) || (pattern !== head && prefix.startsWith(head)));
}

/** Entries of `tools` that hold for nothing. A tool whose own name is too long, or holds a dot, goes by another, which is what counts here. */
function namingNoTool(deps: EngineDeps, statuses: readonly UpstreamStatus[]): readonly Finding[] {
  const keys = deps.upstreams.tools().map(({ key }) => key);
  return Object.entries(deps.config().tools)
    .filter(([pattern]) => !keys.some((key) => matchesPattern(pattern, key)) && !mayNameUnknown(pattern, statuses))
    .map(([pattern, { redact }]) => ({
      code: 'config.names_no_tool',
      severity: redact.length > 0 ? 'error' : 'warning',
      message: `tools.${pattern} names no known tool, so what it declares holds for none${redact.length > 0 ? ': nothing is redacted by it' : ''}.`,
      fix: 'Correct its name: countersign rules shows the tools that are known, by the names that count.',
    }));
}

function unreachable(principals: readonly string[], reachable: ReadonlySet<string>): readonly Finding[] {
  const absent = principals.filter((name) => !reachable.has(name));
  const [first] = absent;
  if (principals.length === 0) {
    const message = 'There is no principal: nobody can answer a decision, and no agent can act for anybody.';
    return [{ code: 'principal.unreachable', severity: 'error', message, fix: 'Add one: countersign principals add NAME' }];
  }
  if (first === undefined) return [];
  const fix = `Make a link for them to log in with: countersign login ${first}`;
  if (absent.length === principals.length) {
    const message = 'There is nobody to notify: no principal has a session or a token, so decisions wait unseen until they expire.';
    return [{ code: 'principal.unreachable', severity: 'error', message, fix }];
  }
  const message = `${absent.join(', ')} ${absent.length === 1 ? 'has' : 'have'} neither a session nor a token: decisions for them wait unseen until they expire.`;
  return [{ code: 'principal.unreachable', severity: 'warning', message, fix }];
}

const unsealedFinding = (count: number): Finding => ({
  code: 'audit.unsealed',
  severity: 'note',
  message: `${count} audit events are recorded and not sealed. This version does not seal yet: the log can be read and queried, not proved unaltered.`,
  fix: 'Nothing to do here; keep copies of the data directory if you need to show later what stood in it.',
});
