import type { Decision } from '@countersign/contracts';

/** What an approval would let happen: the arguments, as they would be sent; for other kinds, what is asked about. */
export function payloadOf(decision: Decision): unknown {
  if (decision.kind === 'outcome' && decision.call) return decision.call.effectiveArguments ?? decision.call.arguments;
  if (decision.call) return decision.call.arguments;
  if (decision.kind === 'tool') return decision.request?.after ?? {};
  return decision.request ?? {};
}

/** What the payload is compared with where the record itself knows it: the accepted definition of a changed tool. */
export const comparedOf = (decision: Decision): unknown => (decision.kind === 'tool' ? (decision.request?.before ?? null) : null);
