import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** What each workspace may depend on inside the product. Arrows point down; a package that needs another direction is in the wrong place. */
const DIRECTIONS: Record<string, readonly string[]> = {
  contracts: [],
  core: ['contracts'],
  audit: ['contracts'],
  store: ['contracts', 'core', 'audit'],
  queue: ['contracts'],
  engine: ['contracts', 'core', 'audit', 'store', 'queue'],
  mcp: ['contracts', 'core', 'audit', 'engine'],
  agents: ['contracts', 'engine'],
  client: ['contracts'],
  runtime: ['contracts', 'core', 'audit', 'store', 'queue', 'engine', 'mcp', 'agents'],
  testkit: ['contracts', 'core', 'audit', 'store', 'queue', 'engine', 'mcp', 'agents', 'runtime'],
  server: ['contracts', 'client', 'runtime'],
  worker: ['contracts', 'runtime'],
  inbox: ['contracts', 'client'],
  // The one process of `start` is made of the server and the worker; the demo's upstreams and agents come with it.
  cli: ['contracts', 'client', 'runtime', 'server', 'worker', 'agents', 'testkit'],
};

/** Libraries that only these workspaces know. */
const ONLY: Record<string, readonly string[]> = {
  'drizzle-orm': ['store'],
  '@electric-sql/pglite': ['store', 'queue'],
  postgres: ['store'],
  bullmq: ['queue'],
  ioredis: ['queue'],
  fastify: ['server'],
  '@modelcontextprotocol/server': ['mcp'],
  '@modelcontextprotocol/client': ['mcp', 'agents'],
  '@modelcontextprotocol/sdk': ['agents', 'testkit', 'cli'],
};

/** Packages that compile without Node: time, ids and hashing are passed in. */
const PURE = ['contracts', 'core', 'audit'];

const workspaces = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => ({ name, path: join(ROOT, folder, name) })),
);

const sourcesOf = (path: string): string[] =>
  readdirSync(join(path, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|js)$/.test(file))
    .map((file) => join(path, 'src', file));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

describe.each(workspaces)('$name', ({ name, path }) => {
  const imports = sourcesOf(path).flatMap((file) => importsOf(file).map((specifier) => ({ file: file.slice(ROOT.length + 1), specifier })));

  it('has a place among the directions', () => {
    expect(Object.keys(DIRECTIONS)).toContain(name);
  });

  it('imports only what lies below it', () => {
    const allowed = new Set(DIRECTIONS[name]?.map((other) => `@countersign/${other}`));
    const wrong = imports.filter(({ specifier }) => specifier.startsWith('@countersign/') && !allowed.has(packageOf(specifier)));
    expect(wrong).toEqual([]);
  });

  it('depends in its manifest on what it imports, and on nothing in the product that its direction forbids', () => {
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { dependencies?: Record<string, string> };
    const declared = Object.keys(manifest.dependencies ?? {});
    const allowed = new Set(DIRECTIONS[name]?.map((other) => `@countersign/${other}`));
    expect(declared.filter((other) => other.startsWith('@countersign/') && !allowed.has(other))).toEqual([]);
    const used = new Set(imports.map(({ specifier }) => packageOf(specifier)).filter((other) => other.startsWith('@countersign/')));
    expect([...used].filter((other) => !declared.includes(other))).toEqual([]);
  });

  it('knows only the libraries that are its own to know', () => {
    const wrong = imports.filter(({ specifier }) => {
      const owners = ONLY[packageOf(specifier)];
      return owners !== undefined && !owners.includes(name);
    });
    expect(wrong).toEqual([]);
  });

  it('reaches into no other workspace by a path, and enters its neighbours by their doors', () => {
    const escapes = imports.filter(
      ({ specifier }) => /\.\.\/.*(?:packages|apps)\//.test(specifier) || /^@countersign\/[^/]+\/(?:src|dist)/.test(specifier),
    );
    expect(escapes).toEqual([]);
  });

  if (!PURE.includes(name)) return;
  it('uses nothing of Node, no clock and no chance', () => {
    const impure = sourcesOf(path).filter((file) =>
      /from 'node:|\bprocess\.|new Date\(\)|Date\.now\(|Math\.random\(/.test(readFileSync(file, 'utf8')),
    );
    expect(impure).toEqual([]);
  });
});

it('suppresses no import rule anywhere', () => {
  const suppressed = workspaces.flatMap(({ path }) =>
    sourcesOf(path).filter((file) =>
      /biome-ignore[^\n]*(?:noUndeclaredDependencies|noImportCycles|noReExportAll|noRestrictedImports)/.test(readFileSync(file, 'utf8')),
    ),
  );
  expect(suppressed).toEqual([]);
});
