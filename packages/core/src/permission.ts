/**
 * What a caller may do at all, before any rule is read.
 *
 * P1 Effective scopes = the credential's ∩ every mandate's along the chain ∩ the lane's ceiling, worked out anew for every request.
 * P2 `mandate:write` is never an agent's: no agent lane's ceiling holds it.
 * P3 One function, `isVisible`, decides which tools a caller has, for the list and for the call.
 */
import { fail, LANE_CEILING, type Lane, OWN_TOOL_SCOPE, ok, type Result, Scope } from '@countersign/contracts';

/** Whose credential a request carries, or none. A credential that is wrong, expired or revoked never gets here: it is refused before. */
export type CredentialHolder =
  | { readonly kind: 'none' }
  | { readonly kind: 'principal'; readonly name: string }
  | { readonly kind: 'agent'; readonly name: string; readonly principal: string; readonly status: 'probation' | 'member' | 'suspended' };

/** The lane of a caller and why it is that one. A suspended agent has none: its credential is refused, never taken for no credential. */
export function laneOf(holder: CredentialHolder): Result<{ readonly lane: Lane; readonly why: string }, 'credential.invalid'> {
  switch (holder.kind) {
    case 'none':
      return ok({ lane: 'anonymous', why: 'The request carries no credential.' });
    case 'principal':
      return ok({ lane: 'principal', why: `The credential is ${holder.name}'s own.` });
    case 'agent':
      if (holder.status === 'suspended') return fail('credential.invalid', `The agent ${holder.name} is suspended.`);
      if (holder.status === 'member') return ok({ lane: 'member', why: `${holder.name} is a member, admitted by ${holder.principal}.` });
      return ok({ lane: 'probation', why: `${holder.name} is on probation until ${holder.principal} admits it.` });
  }
}

/**
 * The scopes that hold right now, in their listed order (P1).
 * @param given.credentialScopes null where the credential narrows nothing
 * @param given.mandateScopes the principal's current mandate; null where no mandate applies (the anonymous lane, a principal's own credential)
 * @param given.chainScopes the mandates of the other principals along the chain
 */
export function effectiveScopes(given: {
  readonly lane: Lane;
  readonly credentialScopes: readonly Scope[] | null;
  readonly mandateScopes: readonly Scope[] | null;
  readonly chainScopes?: readonly (readonly Scope[])[];
}): readonly Scope[] {
  const bounds: readonly (readonly Scope[] | null)[] = [
    LANE_CEILING[given.lane],
    given.credentialScopes,
    given.mandateScopes,
    ...(given.chainScopes ?? []),
  ];
  return Scope.options.filter((scope) => bounds.every((bound) => bound === null || bound.includes(scope)));
}

/**
 * Whether a caller has a tool (P3): our own tools by their scope, upstream tools (`server__tool`) by `tools:call`. Says nothing about
 * whether an upstream tool exists; a hidden tool and an absent one must be answered alike.
 */
export function isVisible(toolName: string, scopes: readonly Scope[]): boolean {
  if (Object.hasOwn(OWN_TOOL_SCOPE, toolName)) return scopes.includes(OWN_TOOL_SCOPE[toolName as keyof typeof OWN_TOOL_SCOPE]);
  return toolName.includes('__') && scopes.includes('tools:call');
}
