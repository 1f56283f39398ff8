export { agent, credential } from './agent.ts';
export { auditPending } from './audit-pending.ts';
export { call, run } from './call.ts';
export { consult, note } from './consult.ts';
export { answer, decision } from './decision.ts';
export { evidence } from './evidence.ts';
export { host, tool } from './host.ts';
export { idempotency, outbox } from './outbox.ts';
export { mandate, principal, termUse } from './principal.ts';
