import { LANE_CEILING, Lane, OWN_TOOL_SCOPE, type OwnToolName, PRINCIPAL_ONLY_SCOPE, type Scope } from '@countersign/contracts';
import type { ServedEra } from './era.ts';
import { OWN_NAMES } from './probe.ts';
import type { MissingTool } from './report.ts';

/** Stands for the upstream tools, of which a caller without them can't know the names. */
const UPSTREAM = 'server__tool';

export const ceilingOf = (lane: Lane): readonly Scope[] => LANE_CEILING[lane];

/** What this caller does not have, which scope would show it, and what would give it that scope. */
export function missingTools(lane: Lane, view: ServedEra): readonly MissingTool[] {
  const own = OWN_NAMES.filter((name) => !view.own.includes(name)).map((name) => ({ name, scope: OWN_TOOL_SCOPE[name] as Scope }));
  const upstream = holds(lane, view, 'tools:call') ? [] : [{ name: UPSTREAM, scope: 'tools:call' as const }];
  return [...own, ...upstream].map(({ name, scope }) => ({ name, scope, because: because(lane, view, scope) }));
}

/** Whether the caller has a scope now: by its own word, else by what the scope shows. */
export function holds(lane: Lane, { identity, own, upstream }: ServedEra, scope: Scope): boolean {
  if (identity) return identity.scopes.includes(scope);
  if (!ceilingOf(lane).includes(scope)) return false;
  return scope === 'tools:call' ? upstream.length > 0 : own.some((name) => OWN_TOOL_SCOPE[name as OwnToolName] === scope);
}

function because(lane: Lane, view: ServedEra, scope: Scope): string {
  if (scope === PRINCIPAL_ONLY_SCOPE && lane !== 'principal') return "never given to an agent; a principal's own token shows it";
  if (!ceilingOf(lane).includes(scope)) {
    const shows = Lane.options.find((other) => ceilingOf(other).includes(scope));
    return lane === 'anonymous'
      ? `needs a token: agents have it from the ${shows} lane on`
      : `needs the ${shows} lane: its principal admits it`;
  }
  if (holds(lane, view, scope)) return 'the scope is there, and the host does not offer the tool';
  const { identity } = view;
  const by = identity?.missing.find((one) => one.scope === scope)?.by;
  if (by === 'mandate') return `the mandate of ${identity?.principal ?? 'its principal'} does not have the scope`;
  if (by === 'credential') return 'this credential was issued without the scope';
  return "the principal's mandate, or this credential, does not have the scope";
}
