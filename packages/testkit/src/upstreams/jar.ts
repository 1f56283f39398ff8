import * as z from 'zod';
import { readJsonFile, replaceJsonFile } from './json-file.ts';

const Jar = z.strictObject({
  count: z.int().nonnegative(),
  label: z.string(),
  history: z.array(z.strictObject({ at: z.iso.datetime(), what: z.string() })),
});
export type Jar = z.infer<typeof Jar>;

const FRESH_JAR: Jar = { count: 12, label: 'Oatmeal and raisin', history: [] };

/** What is in the jar that `file` keeps; a fresh jar of 12 cookies if there is none. */
export function readJar(file: string): Jar {
  return readJsonFile(file, Jar, FRESH_JAR);
}

/** Applies one change and adds it to the jar's history. */
export function changeJar(file: string, what: string, change: (jar: Jar) => Partial<Jar>): Jar {
  const jar = readJar(file);
  const changed = { ...jar, ...change(jar), history: [...jar.history, { at: new Date().toISOString(), what }] };
  replaceJsonFile(file, changed);
  return changed;
}

/** Leaves an empty jar without a label. The history goes too: nothing tells what was in it. */
export function smashJar(file: string): void {
  replaceJsonFile(file, { count: 0, label: '', history: [] } satisfies Jar);
}
