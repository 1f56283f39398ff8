import type { Caller } from '@countersign/engine';
import type { Era } from './rpc.ts';

/** How a call that must wait for a person is kept: for now by waiting a little and then answering as pending. */
export type WayToHold = { readonly way: 'wait'; readonly budgetMs: number };

/**
 * Decides it for one request from its revision and what it carries; what a client says of its name counts for nothing. `era` is asked for
 * because a client may declare the tasks extension in a revision that has none.
 */
export function waysToHold(request: { readonly era: Era; readonly caller: Caller; readonly hasProgress: boolean }): WayToHold {
  const { waitMs, waitWithProgressMs } = request.caller.hold;
  return { way: 'wait', budgetMs: request.hasProgress ? waitWithProgressMs : waitMs };
}
