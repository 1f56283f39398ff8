import type { CallId, DecisionId, DecisionStatus, Failure } from '@countersign/contracts';
import type { JsonObject, UpstreamReply } from './upstreams.ts';

export type HeldDecision = {
  readonly id: DecisionId;
  readonly state: DecisionStatus;
  readonly expiresAt: string;
  readonly url: string;
  /** Whose answer it waits for; handles. */
  readonly answerBy: readonly string[];
  readonly reasons: readonly string[];
};

/** How one tools/call, or a question without a call, ended or where it stands, for the agent that made it. */
export type CallEnd =
  | { readonly kind: 'reply'; readonly call: CallId; readonly reply: UpstreamReply; readonly decisions: readonly DecisionId[] }
  | { readonly kind: 'hidden' }
  /** `mayHaveRun`: an earlier attempt went out and nobody knows what came of it; what it waits for is to be sent again. */
  | { readonly kind: 'held'; readonly call: CallId; readonly mayHaveRun: boolean; readonly decisions: readonly HeldDecision[] }
  | {
      readonly kind: 'refused';
      readonly code: 'refused_by_principal' | 'refused_by_rule' | 'expired' | 'withdrawn';
      readonly call: CallId | null;
      readonly decision: DecisionId | null;
      readonly reason: string;
      /** A principal's own words; untrusted towards other principals' agents. */
      readonly note: { readonly by: string; readonly text: string } | null;
    }
  /** A question that has no call: put, and not answered yet. */
  | { readonly kind: 'asked'; readonly decision: HeldDecision }
  /** The end of such a question. Nothing runs by it, whatever the answer is. */
  | {
      readonly kind: 'answered';
      readonly decision: DecisionId;
      readonly code: 'approved' | 'refused_by_principal' | 'expired' | 'withdrawn';
      /** Who approved, refused or withdrew it; empty when time did. */
      readonly by: readonly string[];
      readonly reason: string | null;
      readonly note: { readonly by: string; readonly text: string } | null;
    }
  | { readonly kind: 'failed'; readonly call: CallId; readonly reason: string; readonly sent: boolean }
  | { readonly kind: 'unknown'; readonly call: CallId; readonly reason: string }
  /** Nothing was judged or run: bad input, a full queue, or a store that can't be written. */
  | { readonly kind: 'unavailable'; readonly error: Failure };

/** One tools/call as it arrived. `args` is frozen: the same object is judged, shown, hashed and sent. */
export type IncomingCall = {
  readonly tool: string;
  readonly args: JsonObject;
  /** What the agent says of its situation (`_meta`), never believed. */
  readonly claimed: string | null;
  /** Names the piece of work: a session's id, or the agent's own standing run. */
  readonly origin: string;
  readonly hasProgress: boolean;
  /** Aborted when the caller cancels or leaves. */
  readonly signal: AbortSignal;
  readonly meta?: JsonObject;
  readonly onProgress?: (progress: JsonObject) => void;
  /** Called once when the call is held and the wait begins. */
  readonly onHeld?: (held: Extract<CallEnd, { kind: 'held' }>) => void;
};
