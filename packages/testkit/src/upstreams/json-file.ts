import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';

/** The file's content, checked against `schema`; `whenMissing` if there is no file. Throws on a file that holds anything else. */
export function readJsonFile<Value>(path: string, schema: z.ZodType<Value>, whenMissing: Value): Value {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return whenMissing;
    throw cause;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is not what this server wrote; move it away to start afresh`, { cause });
  }
}

/**
 * Puts `value` in place of the file's content by flush and rename: a reader, or a restart after kill -9, sees the old state or the
 * new one and never half of either. Synchronous on purpose: read, change and replace are one step between two calls.
 */
export function replaceJsonFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { flush: true });
  renameSync(next, path);
}
