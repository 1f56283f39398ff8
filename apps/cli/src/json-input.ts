import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from './io.ts';
import type { AnyFailure } from './print.ts';

export type JsonInput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: AnyFailure };

/** Reads JSON that was given as such, in a file, or with `-` on standard input. */
export async function readJsonInput(io: Io, given: string): Promise<JsonInput> {
  const text = await textOf(io, given);
  if (!text.ok) return text;
  try {
    return { ok: true, value: JSON.parse(text.value) };
  } catch (error) {
    return invalid(`${nameOf(given)} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The same as text, for files that need not be JSON. */
export async function textOf(
  io: Io,
  given: string,
): Promise<{ readonly ok: true; readonly value: string } | Extract<JsonInput, { ok: false }>> {
  if (given === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return { ok: true, value: Buffer.concat(chunks).toString('utf8') };
  }
  if (/^\s*[[{"]/.test(given)) return { ok: true, value: given };
  try {
    return { ok: true, value: readFileSync(resolve(io.cwd, given), 'utf8') };
  } catch {
    return invalid(`${given} is neither JSON nor a file that can be read.`);
  }
}

const nameOf = (given: string): string => (given === '-' ? 'Standard input' : /^\s*[[{"]/.test(given) ? 'The text' : given);

export const invalid = (message: string): { readonly ok: false; readonly error: AnyFailure } => ({
  ok: false,
  error: { code: 'input.invalid', message },
});
