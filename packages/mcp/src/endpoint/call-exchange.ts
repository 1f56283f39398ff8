import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller, JsonObject } from '@countersign/engine';
import type { Era, RequestId } from './rpc.ts';

/** One tools/call with everything that was established about it before. */
export type CallExchange = {
  readonly era: Era;
  readonly caller: Caller;
  readonly id: RequestId;
  readonly params: JsonObject;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Names the piece of work that the call belongs to. */
  readonly origin: string;
  readonly requestId: string;
  /** Where a session's `notifications/cancelled` finds this call; undone when it is answered. */
  readonly onCancel?: (cancel: () => void) => () => void;
};
