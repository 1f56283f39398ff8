import { visible } from '@countersign/core';
import type { Caller } from '@countersign/engine';

const NEXT: Record<Caller['lane'], string> = {
  anonymous: 'With a credential (`Authorization: Bearer …`) there is more.',
  probation: 'Your principal has not admitted you yet; until then there are no upstream tools.',
  member: 'Tools named `server__tool` reach upstream servers through the rules of this host and the terms of your principal.',
  principal: 'Tools named `server__tool` reach upstream servers through the rules of this host and your own terms.',
};

/** What a client's model reads first: which lane this is and why, and what to do when a call is held. */
export function instructionsFor(caller: Caller): string {
  return [
    `Countersign stands between you and the tools you call. Your lane here is ${caller.lane}. ${visible(caller.why)}`,
    NEXT[caller.lane],
    'A call may be held until a person answers. Its result then says that nothing was executed and names a decision (dec_…): there is nothing to fix, do not repeat the call, call `await_decision` with that id to get its result, at once or later.',
    'A refusal says who refused and why; silence is never consent.',
    '`whoami` tells more: your scopes, what is missing, and how long a held call waits.',
  ].join('\n');
}
