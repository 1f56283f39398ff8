import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Config } from '@countersign/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { connectHttp, connectStdio, filesystemCommand, type Ledger, startLedger, upstreamCommand } from '../src/index.ts';

const SAMPLE = fileURLToPath(new URL('../../../infra/sample/countersign.yaml', import.meta.url));
const DATA = '/data';
const config = Config.parse(
  parse(
    readFileSync(SAMPLE, 'utf8')
      .replace(/\$\{COUNTERSIGN_DATA\}/g, DATA)
      .replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
  ),
);

let folder: string;
let ledger: Ledger;
const listed: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'));
  mkdirSync(join(folder, 'notes'));
  ledger = await startLedger({ port: 0 });
  const clients = {
    files: await connectStdio(filesystemCommand(folder)),
    jar: await connectStdio(upstreamCommand('cookiejar'), { JAR_FILE: join(folder, 'jar.json') }),
    ledger: await connectHttp(ledger.url),
  };
  for (const [key, client] of Object.entries(clients)) {
    const { tools } = await client.listTools();
    listed.push(...tools.map(({ name }) => `${key}__${name}`));
    await client.close();
  }
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const matches = (pattern: string, tool: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(tool);

test('the sample names its servers files, jar and ledger', () => {
  expect(Object.keys(config.servers)).toEqual(['files', 'jar', 'ledger']);
});

test('every rule and tool pattern of the sample finds a tool that its server lists', () => {
  const patterns = [...config.rules.map(({ tool }) => tool), ...Object.keys(config.tools)];
  expect(patterns.filter((pattern) => !listed.some((tool) => matches(pattern, tool)))).toEqual([]);
});

test('every rule of the sample says why in a sentence and has a headline', () => {
  for (const rule of config.rules) expect(rule, rule.id).toMatchObject({ reason: expect.stringMatching(/\.$/), title: expect.any(String) });
});

test('every principal of the sample has a term for every tool, and every agent a principal', () => {
  for (const [name, { mandate }] of Object.entries(config.principals)) {
    const uncovered = listed.filter((tool) => !mandate.terms.some((term) => matches(term.tool, tool)));
    expect(uncovered, name).toEqual([]);
  }
  for (const { principal } of Object.values(config.agents)) expect(config.principals).toHaveProperty(principal);
});

test('the filesystem server writes a note and shows a dry run without changing it', async () => {
  const files = await connectStdio(filesystemCommand(folder));
  const path = join(folder, 'notes', 'today.md');
  await files.callTool({ name: 'write_file', arguments: { path, content: 'tea' } });
  const edit = { path, edits: [{ oldText: 'tea', newText: 'cake' }] };
  await files.callTool({ name: 'edit_file', arguments: { ...edit, dryRun: true } });
  expect(readFileSync(path, 'utf8')).toBe('tea');
  await files.callTool({ name: 'edit_file', arguments: edit });
  expect(readFileSync(path, 'utf8')).toBe('cake');
  await files.close();
});
