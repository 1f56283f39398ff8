import type { Finding, Lane, Scope } from '@countersign/contracts';

/** The two protocol eras as one revision of each, and how each says hello. */
export const ERAS = [
  { era: '2025-11-25', handshake: 'initialize' },
  { era: '2026-07-28', handshake: 'server/discover' },
] as const;
export type EraName = (typeof ERAS)[number]['era'];

export type EraReport = (typeof ERAS)[number] & {
  /** Whether a client library of that era connected, listed and called. */
  readonly isServed: boolean;
  readonly lane: Lane | null;
  /** Our own tools in the list, those of them that answered, and the upstream tools in the list, which are never called. */
  readonly tools: { readonly listed: number; readonly callable: number; readonly upstream: number };
};

export type MissingTool = { readonly name: string; readonly scope: Scope; readonly because: string };

/** What an endpoint serves to one caller, as far as it can be seen from outside; `lane` is null where it can't. */
export type DoctorReport = {
  readonly url: string;
  /** False where nothing answered at all. */
  readonly isReached: boolean;
  readonly lane: Lane | null;
  readonly why: string | null;
  readonly agent: string | null;
  readonly principal: string | null;
  readonly expiresAt: string | null;
  readonly eras: readonly EraReport[];
  readonly tools: EraReport['tools'] & { readonly missing: readonly MissingTool[] };
  /** The worst first. */
  readonly findings: readonly Finding[];
};

export const finding = (code: Finding['code'], severity: Finding['severity'], message: string, fix: string): Finding => ({
  code,
  severity,
  message,
  fix,
});

const WORST_FIRST: readonly Finding['severity'][] = ['error', 'warning', 'note'];
export const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  [...findings].sort((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity));
