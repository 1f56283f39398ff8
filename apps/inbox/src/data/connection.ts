import { useSyncExternalStore } from 'react';

/** Whether changes arrive as they happen. */
export type Connection = 'connecting' | 'live' | 'offline';

let current: Connection = 'connecting';
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

/** Calls `listener` at each change, until the returned function is called. */
export const onConnection = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const connection = (): Connection => current;

export const useConnection = (): Connection => useSyncExternalStore(onConnection, connection);
