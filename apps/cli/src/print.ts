import type { ClientErrorCode } from '@countersign/client';
import { type ExitCode, exitCodeOf } from './exit-code.ts';
import type { Io } from './io.ts';
import { paintFor } from './paint.ts';

/** Characters that a terminal obeys or does not show; JSON may spell every one of them as an escape without changing the value. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const escaped = (char: string): string =>
  char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** JSON that a terminal can't be tricked by: the same value, with hiding and reordering characters as escapes. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNSEEN, (char) => (char === '\n' ? char : escaped(char)));

export const printLine = (io: Io, text: string): void => void io.stdout.write(`${text}\n`);
export const noteLine = (io: Io, text: string): void => void io.stderr.write(`${text}\n`);

/** The answer of a command: the value as JSON, or the text that a person reads. */
export function printAnswer(io: Io, answer: { readonly json: boolean; readonly value: unknown; readonly text: () => string }): void {
  printLine(io, answer.json ? safeJson(answer.value, 2) : answer.text());
}

/** What the host, the client or this process says went wrong. */
export type AnyFailure = { readonly code: ClientErrorCode; readonly message: string; readonly detail?: Readonly<Record<string, unknown>> };

/**
 * Says on standard error what went wrong, with `json` as `{"error": {code, message, detail}}`, and gives the exit code for it.
 * What hides or reorders text is shown: a message may quote what somebody else wrote.
 */
export function printFailure(io: Io, { code, message, detail }: AnyFailure, json: boolean): ExitCode {
  if (json) noteLine(io, safeJson({ error: { code, message, detail } }));
  else {
    const paint = paintFor(io.color.stderr);
    noteLine(io, `${paint.red(code)}  ${printable(message)}`);
    for (const issue of issuesOf(detail)) noteLine(io, `  ${printable(issue)}`);
  }
  return exitCodeOf(code);
}

/** As in JSON: for text that is mostly ours. What a person decides on goes through `Show`. */
const printable = (text: string): string => text.replace(UNSEEN, escaped);

/** The places that an `input.invalid` names. */
function issuesOf(detail: AnyFailure['detail']): readonly string[] {
  const issues = detail?.issues;
  if (!Array.isArray(issues)) return [];
  return issues.map((issue: unknown) => {
    if (typeof issue === 'string') return issue;
    const { path, message } = issue as { readonly path?: unknown; readonly message?: unknown };
    const place = Array.isArray(path) ? path.join('.') : String(path ?? '');
    return `${place === '' ? 'input' : place}: ${String(message)}`;
  });
}
