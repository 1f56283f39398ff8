import type { Lane, Scope } from '@countersign/contracts';
import type { CompiledMandate } from '@countersign/core';

/** Who is calling, worked out anew for every request from the rows as they are now. */
export type Caller = {
  readonly lane: Lane;
  /** Why it is this lane, in words for `whoami`, `instructions` and `doctor`. */
  readonly why: string;
  /** Credential ∩ mandate ∩ lane ceiling. */
  readonly scopes: readonly Scope[];
  readonly credential: { readonly id: string; readonly kind: 'agent' | 'principal' | 'session' } | null;
  readonly agent: { readonly name: string; readonly status: 'probation' | 'member' | 'suspended'; readonly description: string } | null;
  readonly principal: { readonly name: string; readonly displayName: string } | null;
  readonly mandate: CompiledMandate | null;
  /** How long a held call of this caller waits before it returns as pending, in milliseconds. */
  readonly hold: { readonly waitMs: number; readonly waitWithProgressMs: number };
  /** The authority version that all of this was read at. */
  readonly authority: number;
};
