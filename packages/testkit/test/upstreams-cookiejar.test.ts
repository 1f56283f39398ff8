import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectStdio, upstreamCommand } from '../src/index.ts';

let folder: string;
let file: string;
let jar: Client;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cookiejar-'));
  file = join(folder, 'demo', 'jar.json');
  jar = await connectStdio(upstreamCommand('cookiejar'), { JAR_FILE: file });
});
afterEach(async () => {
  await jar.close();
  rmSync(folder, { recursive: true });
});

const call = (name: string, args?: Record<string, unknown>) => jar.callTool({ name, arguments: args });
const said = (text: RegExp) => [{ type: 'text', text: expect.stringMatching(text) }];

test('lists four tools, of which smash_jar alone is marked destructive', async () => {
  const { tools } = await jar.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.destructiveHint])).toEqual([
    ['cookie_jar', undefined],
    ['set_label', undefined],
    ['jar_history', undefined],
    ['smash_jar', true],
  ]);
});

test('starts with twelve cookies, adds and eats some', async () => {
  expect(await call('cookie_jar', { action: 'count' })).toMatchObject({ content: said(/12 cookies/), structuredContent: { count: 12 } });
  expect(await call('cookie_jar', { action: 'add', amount: 3 })).toMatchObject({ structuredContent: { count: 15 } });
  expect(await call('cookie_jar', { action: 'eat' })).toMatchObject({
    content: said(/Ate 1 cookie: 14/),
    structuredContent: { count: 14 },
  });
});

test('refuses arguments that are not as listed and leaves the jar alone', async () => {
  const wrong = {
    'more than there are': { action: 'eat', amount: 13 },
    'another verb': { action: 'EAT' },
    'a list for a verb': { action: ['eat'] },
    'no verb': {},
    'a string for an amount': { action: 'eat', amount: '2' },
    'half a cookie': { action: 'eat', amount: 0.5 },
    'a negative amount': { action: 'add', amount: -1 },
    'a misspelt amount': { action: 'eat', amuont: 5 },
  };
  for (const [what, args] of Object.entries(wrong)) expect(await call('cookie_jar', args), what).toMatchObject({ isError: true });
  expect(await call('cookie_jar', { action: 'count' })).toMatchObject({ structuredContent: { count: 12 } });
});

test('forgets the old label when a new one is set', async () => {
  await call('set_label', { label: 'Ginger' });
  expect(await call('set_label', { label: 'Lemon' })).toMatchObject({ structuredContent: { label: 'Lemon' } });
  expect(readFileSync(file, 'utf8')).not.toContain('Ginger');
  expect(await call('set_label', { label: ' ' })).toMatchObject({ isError: true });
});

test('smashing leaves no cookie, no label and no history', async () => {
  await call('cookie_jar', { action: 'add', amount: 3 });
  expect(await call('jar_history')).toMatchObject({ content: said(/added 3 cookies/) });
  await call('smash_jar');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ count: 0, label: '', history: [] });
  expect(await call('jar_history')).toMatchObject({ structuredContent: { history: [] } });
});

test('keeps the jar over a restart', async () => {
  await call('cookie_jar', { action: 'eat', amount: 5 });
  await call('set_label', { label: 'Lemon' });
  await jar.close();
  jar = await connectStdio(upstreamCommand('cookiejar'), { JAR_FILE: file });
  expect(await call('cookie_jar', { action: 'count' })).toMatchObject({ structuredContent: { count: 7, label: 'Lemon' } });
});

test('loses no cookie to calls made at once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => call('cookie_jar', { action: 'add' })));
  expect(await call('cookie_jar', { action: 'count' })).toMatchObject({ structuredContent: { count: 32 } });
});

test('touches no file that is not a jar', async () => {
  await call('cookie_jar', { action: 'add' });
  writeFileSync(file, 'dear diary');
  expect(await call('cookie_jar', { action: 'add' })).toMatchObject({ isError: true });
  expect(readFileSync(file, 'utf8')).toBe('dear diary');
});

test('without JAR_FILE it says so on stderr, keeps stdout empty and exits with 2', async () => {
  const { command, args } = upstreamCommand('cookiejar');
  const child = spawn(command, args, { env: {} });
  const [out, err, [code]] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
  expect([out, code]).toEqual(['', 2]);
  expect(err).toContain('set JAR_FILE');
});
