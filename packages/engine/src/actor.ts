import type { Actor } from '@countersign/contracts';
import type { Caller } from './caller.ts';

/** Who does an operation: a caller with a credential, the operator of the host, or a part of the host itself. */
export type Doer = { readonly caller: Caller } | { readonly operator: true } | { readonly host: string };

/** The actor that the audit event names. */
export function actorOf(doer: Doer): Actor {
  if ('operator' in doer) return { kind: 'operator', name: 'operator' };
  if ('host' in doer) return { kind: 'host', name: doer.host };
  return callerActor(doer.caller);
}

export function callerActor(caller: Caller): Actor {
  if (caller.agent) return { kind: 'agent', name: caller.agent.name };
  if (caller.principal) return { kind: 'principal', name: caller.principal.name };
  return { kind: 'anonymous', name: 'anonymous' };
}
