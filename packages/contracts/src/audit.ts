import * as z from 'zod';
import { EventId, Timestamp } from './ids.ts';

/** Every event type: past tense, never changed once shipped. */
export const AuditEventType = z.enum([
  // Calls.
  'call.admitted', // judged allow; the intent, durable before the upstream call leaves
  'call.refused', // judged refuse, or refused because a person, time or the host said so
  'call.held', // judged ask; its decisions are raised in the same transaction
  'call.queued', // every decision was approved
  'call.claimed', // a worker holds the lease; the intent of an approved call
  'call.completed', // upstream answered; the result is recorded
  'call.failed', // the call certainly did not take effect, or upstream says it failed
  'call.outcome_unknown', // sent, and nobody knows whether it took effect
  'call.voided', // approved, but its conditions changed before dispatch
  'call.abandoned', // the caller left before it knew the decision's id
  'call.malformed', // refused at ingress
  // Decisions.
  'decision.raised',
  'decision.approval_recorded', // one of several approvals that are needed
  'decision.approved',
  'decision.refused',
  'decision.expired',
  'decision.withdrawn',
  'decision.extended',
  'decision.reminded',
  'decision.answer_rejected', // an answer that came too late, twice, or from somebody who may not
  'request.refused', // an agent's question that became no decision: asked again after a "no", or too many are open
  // Runs and consults.
  'run.opened', // a piece of work began: a session's, an agent's own, or a consult's
  'run.cancelled', // and with it every run below it; their open decisions are withdrawn
  'run.rejected', // a run token that its bearer was not given, or whose run is over
  'consult.opened',
  'consult.claimed', // the asked agent has the question; again when the one who had it is gone
  'consult.released', // the one who claimed it left before it had the question
  'consult.answered',
  'consult.withdrawn',
  'consult.expired',
  'consult.refused', // a question or an answer that was turned down: a ring, too deep, too many, too late, not theirs
  'decision.relayed', // an agent above the caller was told what a principal decided
  // Mandates, agents, credentials.
  'principal.created',
  'mandate.widened',
  'mandate.narrowed',
  'mandate.changed',
  'agent.created',
  'agent.admitted',
  'agent.suspended',
  'credential.issued',
  'credential.revoked',
  'credential.rejected',
  'access.rejected', // a tool, an id or an argument that is not the caller's: what is hidden and what does not exist are recorded alike
  'login.link_issued',
  'login.succeeded',
  'evidence.filed',
  // Tools and the host.
  'tool.discovered',
  'tool.changed',
  'tool.accepted',
  'host.started',
  'host.stopped',
  'host.frozen',
  'host.thawed',
  'rules.loaded',
  'payload.read', // somebody read arguments or results that belong to another
]);
export type AuditEventType = z.infer<typeof AuditEventType>;

export const Actor = z.strictObject({
  kind: z.enum(['agent', 'principal', 'operator', 'host', 'anonymous']),
  /** Handle of the agent or principal; for the host, which part acted. */
  name: z.string(),
});
export type Actor = Readonly<z.infer<typeof Actor>>;

/** One fact that happened, as the log returns it. */
export const AuditEvent = z.strictObject({
  /** Position of arrival; gap-free order (`seq`) is given when the event is sealed. */
  cursor: z.string(),
  id: EventId,
  seq: z.int().nonnegative().nullable(),
  type: AuditEventType,
  at: Timestamp,
  actor: Actor,
  principal: z.string().nullable(),
  agent: z.string().nullable(),
  run: z.string().nullable(),
  call: z.string().nullable(),
  decision: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
});
export type AuditEvent = z.infer<typeof AuditEvent>;
