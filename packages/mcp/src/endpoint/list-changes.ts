import type { Listeners } from './listeners.ts';
import type { Sessions } from './sessions.ts';
import type { Shared } from './shared.ts';

/** Somebody who asked to hear of changes. */
type Watcher = {
  readonly secret: string | null;
  fingerprint: string;
  readonly tell: () => Promise<void> | void;
  readonly end: () => Promise<void>;
};

export type ListChanges = { readonly note: () => void; readonly close: () => void };

/**
 * Tells exactly those whose own list changed, once for many changes that come close together. Every watcher is looked up anew: one whose
 * credential is gone hears no more. Notices are a courtesy; what a caller may do is decided at each call.
 */
export function createListChanges(shared: Shared, sessions: Sessions, listeners: Listeners): ListChanges {
  const { deps, timing } = shared;
  let timer: NodeJS.Timeout | undefined;

  function watchers(): Watcher[] {
    const ofSessions = sessions.all().map((session) =>
      watcher(
        session,
        () => session.server.sendToolListChanged(),
        () => sessions.end(session),
      ),
    );
    const ofListeners = listeners.all().map((listener) =>
      watcher(
        listener,
        () => listener.handler.notify.toolsChanged(),
        () => listener.handler.close(),
      ),
    );
    return [...ofSessions, ...ofListeners];
  }

  async function look(one: Watcher): Promise<void> {
    const caller = await deps.resolveCaller(one.secret, 'current');
    if (!caller.ok) return one.end();
    const { fingerprint } = shared.lists(caller.value);
    if (fingerprint === one.fingerprint) return;
    one.fingerprint = fingerprint;
    await one.tell();
  }

  async function tellAll(): Promise<void> {
    for (const one of watchers()) {
      await look(one).catch((error: unknown) => deps.log.warn({ err: error }, 'a change of tools could not be told to a client'));
    }
  }

  return {
    note() {
      timer ??= setTimeout(() => {
        timer = undefined;
        void tellAll();
      }, timing.listChangedDebounce);
    },
    close: () => clearTimeout(timer),
  };
}

function watcher(
  state: { readonly secret: string | null; fingerprint: string },
  tell: () => Promise<void> | void,
  end: () => Promise<void>,
): Watcher {
  return {
    secret: state.secret,
    get fingerprint() {
      return state.fingerprint;
    },
    set fingerprint(value) {
      state.fingerprint = value;
    },
    tell,
    end,
  };
}
