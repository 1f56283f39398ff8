import type { OutcomeCode } from '@countersign/contracts';

/** One tool call of a scripted agent. */
export type Step = {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The telling part of the arguments, for people: `eat 3`. */
  readonly about: string;
  /** What to do while a person has not answered: take the next step meanwhile (default), or stand still. Either way the answer is fetched. */
  readonly whenHeld?: 'go_on' | 'stand_still';
};

/** What one agent does, in order. A refusal, a failure or an unknown outcome never ends a script: it is reported and the next step follows. */
export type Script = { readonly agent: string; readonly steps: readonly Step[] };

type RefusalCode = Exclude<OutcomeCode, 'pending' | 'approved' | 'failed' | 'outcome_unknown'>;

/** How a step stands. Every text came from the other side of the wire: show it only with control characters made visible. */
export type StepEnd =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'held'; readonly decision: string; readonly url: string | null; readonly waitsFor: readonly string[] }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly text: string }
  /** The upstream or the gate said that it did not work. */
  | { readonly kind: 'failed'; readonly text: string }
  /** No answer came, and the call may have run: it is not repeated. */
  | { readonly kind: 'unknown'; readonly text: string };

export type ScriptEvent =
  /** A held step is reported twice: as `held`, and once more when it ended; `afterHold` tells the two apart. */
  | { readonly kind: 'step'; readonly agent: string; readonly step: Step; readonly end: StepEnd; readonly afterHold: boolean }
  /** The host can't be reached; the script waits and tries again. Once for each absence. */
  | { readonly kind: 'waiting_for_host'; readonly agent: string; readonly reason: string }
  /** The credential is not accepted (any more): the script is over. */
  | { readonly kind: 'turned_away'; readonly agent: string; readonly reason: string };
