import type { ErrorCode } from '@countersign/contracts';

/** The server's own codes, and two that only a client can meet. A newer server may send a code that this list does not have yet. */
export type ClientErrorCode =
  | ErrorCode
  /** No answer came: the server is down, or the network is. A write may have taken effect; its Idempotency-Key makes a repeat safe. */
  | 'client.unreachable'
  /** An answer came that is not of this API: something else listens there. */
  | 'client.bad_answer';

export type ClientFailure = {
  readonly code: ClientErrorCode;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  /** Names the request in the server's log. */
  readonly requestId?: string;
};

export type ClientResult<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: ClientFailure };

/** Thrown only where no Result can be returned: by the event iterator, when the server will never send events to this caller. */
export class ClientError extends Error {
  readonly failure: ClientFailure;
  constructor(failure: ClientFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a problem (RFC 9457) as a failure. Unknown fields are passed over, so that an older client understands a newer server. */
export const failureOf = (status: number, body: unknown): ClientFailure => {
  if (!isRecord(body) || typeof body.code !== 'string') {
    return { code: 'client.bad_answer', message: `The server answered ${status} with something that is not of this API.`, status };
  }
  return {
    code: body.code as ClientErrorCode,
    message: typeof body.detail === 'string' ? body.detail : `The server answered ${status}.`,
    status,
    ...(isRecord(body.context) ? { detail: body.context } : {}),
    ...(typeof body.requestId === 'string' ? { requestId: body.requestId } : {}),
  };
};
