import type { ServerResponse } from 'node:http';
import type { Caller } from '@countersign/engine';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { ownerOf } from './sessions.ts';
import type { Shared } from './shared.ts';

/** An open `subscriptions/listen` stream; its handler serves it alone, so that a change of somebody else's list is not heard on it. */
export type Listener = { readonly owner: string; readonly secret: string | null; readonly handler: McpHttpHandler; fingerprint: string };

export type Listeners = {
  /** Undoes itself by what it returns; undefined where there is no room for another. */
  readonly add: (
    exchange: { readonly caller: Caller; readonly secret: string | null; readonly response: ServerResponse },
    handler: McpHttpHandler,
  ) => (() => void) | undefined;
  readonly all: () => readonly Listener[];
  readonly close: () => Promise<void>;
};

export function createListeners({ limits, lists }: Shared): Listeners {
  const open = new Set<Listener>();
  return {
    add({ caller, secret }, handler) {
      const owner = ownerOf(caller);
      const own = [...open].filter((listener) => listener.owner === owner).length;
      if (own >= limits.listenersPerCredential || open.size >= limits.listeners) return undefined;
      const listener: Listener = { owner, secret, handler, fingerprint: lists(caller).fingerprint };
      open.add(listener);
      return () => open.delete(listener);
    },
    all: () => [...open],
    async close() {
      await Promise.all([...open].map(({ handler }) => handler.close()));
    },
  };
}
