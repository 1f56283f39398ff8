/**
 * Approvals that wait a few seconds for a change of mind, where the reader set that. They live in this page only: closing it sends nothing.
 */
import { useSyncExternalStore } from 'react';

export type HeldAnswer = {
  readonly decision: string;
  readonly title: string;
  /** `performance.now()` at which it is sent. */
  readonly sendsAt: number;
};
/** One that was sent while its record was no longer in view, and was not accepted. */
export type LostAnswer = { readonly decision: string; readonly title: string; readonly reason: string };
type State = { readonly held: readonly HeldAnswer[]; readonly lost: readonly LostAnswer[] };

let state: State = { held: [], lost: [] };
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function change(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

const without = (decision: string): readonly HeldAnswer[] => state.held.filter((each) => each.decision !== decision);

/** Sends after `seconds`, unless it is taken back. `send` resolves to why it was not accepted, or null. */
export function holdAnswer(decision: string, title: string, seconds: number, send: () => Promise<string | null>): void {
  clearTimeout(timers.get(decision));
  const fire = async (): Promise<void> => {
    timers.delete(decision);
    change({ held: without(decision) });
    const reason = await send();
    if (reason !== null) change({ lost: [...state.lost, { decision, title, reason }] });
  };
  timers.set(
    decision,
    setTimeout(() => void fire(), seconds * 1000),
  );
  change({ held: [...without(decision), { decision, title, sendsAt: performance.now() + seconds * 1000 }] });
}

/** Takes back one, or the latest. @returns false where nothing waits. */
export function undoHeld(decision = state.held.at(-1)?.decision): boolean {
  if (decision === undefined || !timers.has(decision)) return false;
  clearTimeout(timers.get(decision));
  timers.delete(decision);
  change({ held: without(decision) });
  return true;
}

export const dismissLost = (): void => change({ lost: [] });

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useHeldAnswers = (): State => useSyncExternalStore(subscribe, () => state);
