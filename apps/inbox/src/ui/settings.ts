import { useSyncExternalStore } from 'react';

/** What a reader sets for this browser. */
export type Settings = {
  /** Single keys act. */
  readonly keys: boolean;
  /** Seconds that an approval waits for a change of mind; 0: none. */
  readonly undoSeconds: 0 | 5 | 10;
  readonly scheme: 'system' | 'light' | 'dark';
};

const NAME = 'countersign.settings';
const DEFAULTS: Settings = { keys: true, undoSeconds: 0, scheme: 'system' };

const read = (): Settings => {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Settings>) };
  } catch {
    return DEFAULTS;
  }
};

let current = read();
const listeners = new Set<() => void>();

function apply(): void {
  if (current.scheme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = current.scheme;
  for (const listener of listeners) listener();
}

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change };
  localStorage.setItem(NAME, JSON.stringify(current));
  apply();
}

/** Takes the settings up, and follows changes in other tabs. */
export function startSettings(): void {
  apply();
  addEventListener('storage', ({ key }) => {
    if (key !== NAME) return;
    current = read();
    apply();
  });
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSettings = (): Settings => useSyncExternalStore(subscribe, () => current);
