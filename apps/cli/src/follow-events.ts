import { type Client, ClientError, type ClientEvent } from '@countersign/client';
import type { Io } from './io.ts';
import type { AnyFailure } from './print.ts';
import { DONE, type Done } from './run-remote.ts';

type Follower = {
  /** Once, when the stream is about to be read. */
  readonly onStart: () => Promise<AnyFailure | null>;
  /** For each change; a failure ends the following. */
  readonly onEvent: (event: ClientEvent) => Promise<AnyFailure | null>;
};

/** Follows the host's changes until the person stops it, or something fails for good. A host that is away for a while is waited for. */
export async function followEvents(
  io: Io,
  client: Client,
  follower: Follower,
): Promise<Done | { readonly ok: false; readonly error: AnyFailure }> {
  const stop = new AbortController();
  io.onStop(() => stop.abort());
  const events = client.events({ signal: stop.signal });
  try {
    // Asked for before the first reading, so that nothing can happen unseen in between.
    const first = events.next();
    first.catch(() => {});
    const failure = await follower.onStart();
    if (failure !== null) return { ok: false, error: failure };
    for (let event = await first; !event.done; event = await events.next()) {
      const problem = await follower.onEvent(event.value);
      if (problem !== null && problem.code !== 'client.unreachable') return { ok: false, error: problem };
    }
    return DONE;
  } catch (error) {
    if (stop.signal.aborted) return DONE;
    if (error instanceof ClientError) return { ok: false, error: error.failure };
    throw error;
  } finally {
    stop.abort();
  }
}
