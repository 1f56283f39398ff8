import type { ConsultId, Lane, Scope } from '@countersign/contracts';
import type { CompiledMandate } from '@countersign/core';
import type { Work } from './judge.ts';

/** Who is calling, worked out anew for every request from the rows as they are now. */
export type Caller = {
  readonly lane: Lane;
  /** Why it is this lane, in words for `whoami`, `instructions` and `doctor`. */
  readonly why: string;
  /** Credential ∩ mandate ∩ lane ceiling. */
  readonly scopes: readonly Scope[];
  readonly credential: {
    readonly id: string;
    readonly kind: 'agent' | 'principal' | 'session';
    /** Null: good until it is revoked. */
    readonly expiresAt: string | null;
  } | null;
  readonly agent: { readonly name: string; readonly status: 'probation' | 'member' | 'suspended'; readonly description: string } | null;
  readonly principal: { readonly name: string; readonly displayName: string } | null;
  readonly mandate: CompiledMandate | null;
  /** How long a held call of this caller waits before it returns as pending, in milliseconds. */
  readonly hold: { readonly waitMs: number; readonly waitWithProgressMs: number };
  /** The authority version that all of this was read at. */
  readonly authority: number;
  /** The consult's run that this request belongs to, proved by its token; `scopes` are narrowed to what its whole chain may do. */
  readonly run?: { readonly consult: ConsultId; readonly work: Work };
};
