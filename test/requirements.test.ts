import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { citedIn, MAIN_JOB } from './requirements.ts';

/** Where the built product is run. */
const PROOFS = ['e2e', 'faults'].map((folder) => join(import.meta.dirname, folder));
const sources = PROOFS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
);

it.each(MAIN_JOB)('%s is proved by a test that runs the product', (id) => {
  expect(sources.flatMap(citedIn)).toContain(id);
});

it('no proof is skipped or switched off in the file', () => {
  for (const source of sources) expect(source).not.toMatch(/\b(?:it|test|describe)\.(?:skip|todo|only)\b/);
});

it('reads ids from titles, and from nothing else', () => {
  expect(citedIn(`it('runs once (B7)', async () => {`)).toEqual(['B7']);
  expect(citedIn('it.each(X)(`%s is held (A1, C10)`, () => {')).toEqual(['A1', 'C10']);
  expect(citedIn(`// see (A1)\nexpect(f('(A1)')).toBe(1); it('is (a1) x', () => {`)).toEqual([]);
});
