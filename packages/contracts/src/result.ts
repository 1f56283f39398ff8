import type { ErrorCode } from './errors.ts';

/** What went wrong, in a form that may cross a wire: `message` is public and names the place and the fix. */
export type Failure<Code extends ErrorCode = ErrorCode> = {
  readonly code: Code;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** An expected outcome as a value. Bugs and broken infrastructure throw instead. */
export type Result<Value, Code extends ErrorCode = ErrorCode> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure<Code> };

export const ok = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({ ok: true, value });

export const fail = <Code extends ErrorCode>(
  code: Code,
  message: string,
  detail?: Readonly<Record<string, unknown>>,
): { readonly ok: false; readonly error: Failure<Code> } => ({
  ok: false,
  error: detail === undefined ? { code, message } : { code, message, detail },
});
