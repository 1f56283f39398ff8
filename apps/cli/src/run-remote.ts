import type { JsonOption } from './cli.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';
import { type AnyFailure, printFailure } from './print.ts';
import { type Need, type Remote, type RemoteFlags, withClient } from './remote.ts';

export type Done = { readonly ok: true; readonly value: undefined };
export const DONE: Done = { ok: true, value: undefined };

export type RemoteCommand = RemoteFlags & JsonOption;

/** Does `work` with a connected client; a failure of either is printed and becomes the exit code. */
export async function runRemote(
  io: Io,
  flags: RemoteCommand,
  need: Need,
  work: (remote: Remote) => Promise<Done | { readonly ok: false; readonly error: AnyFailure }>,
): Promise<ExitCode> {
  const outcome = await withClient(io, flags, need, work);
  return outcome.ok ? EXIT.ok : printFailure(io, outcome.error, flags.json ?? false);
}

/** A result as a command ends with it: what came is handed on, what failed stays a failure. */
export async function andThen<Value>(
  result: Promise<{ readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: AnyFailure }>,
  next: (value: Value) => void | Promise<void>,
): Promise<Done | { readonly ok: false; readonly error: AnyFailure }> {
  const settled = await result;
  if (!settled.ok) return settled;
  await next(settled.value);
  return DONE;
}
