import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const sourcesUnder = (folder: string): { readonly file: string; readonly text: string }[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\/?src\/.*\.tsx?$/.test(`${folder}/${file}`) && !file.includes('node_modules') && !file.includes('dist/'))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(ROOT, folder, file), 'utf8') }));

const packages = sourcesUnder('packages');
const sites = (pattern: RegExp, files = packages): string[] => files.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

/**
 * Text that somebody else wrote reaches an agent through `quote` alone. The types hold that line; this holds the few places where a cast
 * or a hand-made block could go around them.
 */
describe('text of others', () => {
  const quoting = packages
    .filter(({ file }) => !file.endsWith('core/src/untrusted.ts'))
    .flatMap(({ file, text }) => [...text.matchAll(/\bquote\(/g)].map(() => file));

  it('is quoted at as many places as were counted: a new one is welcome, a lost one is not', () => {
    expect(quoting.length).toBeGreaterThanOrEqual(19);
    expect([...new Set(quoting.map((file) => file.split('/').slice(0, 2).join('/')))]).toEqual(['packages/mcp']);
  });

  it('enters an agent’s context only by a block that is made of AgentText', () => {
    const blocks = packages.flatMap(({ file, text }) =>
      [...text.matchAll(/type: 'text',\s*text: ([^\n]*)/g)].map((match) => ({ file, made: match[1] })),
    );
    const ours = blocks.filter(({ file }) => file.startsWith('packages/mcp/src'));
    expect(ours.length).toBeGreaterThan(0);
    for (const { made } of ours) expect(made).toMatch(/^(text\.text|agentText`.*`\.text)\b/);
  });

  it('is cast to AgentText nowhere but where AgentText is made', () => {
    expect(sites(/as (?:unknown as )?(?:AgentText|Quoted)\b/)).toEqual(['packages/core/src/untrusted.ts']);
  });

  it('loses its mark only where it is stored or compared', () => {
    expect(sites(/\bexposed\(/)).toEqual([]);
  });

  it('is inserted into no page as markup', () => {
    expect(sites(/dangerouslySetInnerHTML|\.innerHTML\s*=|insertAdjacentHTML|document\.write/, sourcesUnder('apps'))).toEqual([]);
  });
});
