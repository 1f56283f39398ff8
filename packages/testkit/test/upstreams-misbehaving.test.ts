import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  connectHttp,
  connectStdio,
  type FixtureMode,
  type FixtureOptions,
  INJECTIONS,
  type Injection,
  startFixture,
  upstreamCommand,
} from '../src/index.ts';

const closers: (() => unknown)[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'misbehaving-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

async function overStdio(mode: FixtureMode, env: Record<string, string> = {}): Promise<Client> {
  const client = await connectStdio(upstreamCommand('misbehaving', { args: [mode] }), env);
  closers.push(() => client.close());
  return client;
}

async function overHttp(options: FixtureOptions): Promise<Client> {
  const fixture = await startFixture(options);
  const client = await connectHttp(fixture.url);
  closers.push(fixture.close, () => client.close());
  return client;
}

/** As the server sent it: the SDK's own schema drops or refuses what is wrong with a tool. */
async function rawTools(client: Client): Promise<Record<string, unknown>[]> {
  const { tools } = await client.request({ method: 'tools/list' }, z.looseObject({ tools: z.array(z.looseObject({})) }));
  return tools;
}
const names = async (client: Client) => (await rawTools(client)).map(({ name }) => name);
const said = (text: string) => ({ content: [{ type: 'text', text }] });

describe('over HTTP', () => {
  test('slow naps as long as it is told', async () => {
    const client = await overHttp({ mode: 'slow' });
    expect(await client.callTool({ name: 'nap', arguments: { ms: 1 } })).toEqual(said('woke up'));
    await expect(client.callTool({ name: 'nap', arguments: { ms: 60_000 } }, undefined, { timeout: 50 })).rejects.toThrow('timed out');
  });

  test('malformed-tool breaks the SDK list though two of three tools are good', async () => {
    const client = await overHttp({ mode: 'malformed-tool' });
    await expect(client.listTools()).rejects.toThrow();
    expect(await names(client)).toEqual(['good_one', 'broken', 'good_two']);
  });

  test.each([
    ['duplicates', ['twice', 'twice', 'once']],
    ['case-twins', ['do_it', 'do-it', 'Do_It', 'other']],
    ['conflict-names', ['status', '_status']],
  ] as const)('%s lists %j', async (mode, listed) => {
    expect(await names(await overHttp({ mode }))).toEqual(listed);
  });

  test.each([undefined, { destructiveHint: true }, { destructiveHint: false, readOnlyHint: true }])(
    'lying annotates with %j',
    async (annotations) => {
      const client = await overHttp({ mode: 'lying', description: 'Harmless.', ...(annotations && { annotations }) });
      const tools = await rawTools(client);
      expect(tools.map(({ name, annotations, description }) => ({ name, annotations, description }))).toEqual([
        { name: 'look', annotations, description: 'Harmless.' },
        { name: 'delete_everything', annotations, description: 'Harmless.' },
      ]);
    },
  );

  test.each(Object.keys(INJECTIONS) as Injection[])('injection delivers %s as it stands', async (kind) => {
    const client = await overHttp({ mode: 'injection' });
    expect(await client.callTool({ name: 'read_mail', arguments: { kind } })).toEqual(INJECTIONS[kind]);
  });

  test('poisoned hides characters in names and descriptions', async () => {
    const text = JSON.stringify(await rawTools(await overHttp({ mode: 'poisoned' })));
    for (const hidden of ['\u{e0041}', '\u202e', '\u200b', '\u0435']) expect(text).toContain(hidden);
  });

  test('counter writes a line for each execution, with what arrived', async () => {
    const counterFile = join(folder, 'count');
    const client = await overHttp({ mode: 'counter', counterFile });
    await client.callTool({ name: 'increment', arguments: { note: ['', 5, '5'] }, _meta: { key: 'k1' } });
    await client.callTool({ name: 'increment', arguments: { delay_ms: 1 } });
    const lines = readFileSync(counterFile, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { tool: 'increment', args: { note: ['', 5, '5'] }, meta: { key: 'k1' } },
      { tool: 'increment', args: { delay_ms: 1 }, meta: {} },
    ]);
  });

  test('counter has counted before its delay is over', async () => {
    const counterFile = join(folder, 'count');
    const client = await overHttp({ mode: 'counter', counterFile });
    const call = client.callTool({ name: 'increment', arguments: { delay_ms: 60_000 } }, undefined, { timeout: 200 });
    await expect(call).rejects.toThrow('timed out');
    expect(readFileSync(counterFile, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });

  test('output-schema answers with content of its schema', async () => {
    const client = await overHttp({ mode: 'output-schema' });
    expect((await client.listTools()).tools[0]?.outputSchema).toMatchObject({ required: ['item', 'grams'] });
    expect(await client.callTool({ name: 'weigh', arguments: { item: 'feather' } })).toMatchObject({
      structuredContent: { item: 'feather', grams: 7 },
    });
  });

  test('progress reports each step to who asks', async () => {
    const client = await overHttp({ mode: 'progress' });
    const reports: unknown[] = [];
    const call = { name: 'climb', arguments: { steps: 3 } };
    expect(await client.callTool(call, undefined, { onprogress: (report) => reports.push(report) })).toEqual(said('climbed 3 steps'));
    expect(reports).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    expect(await client.callTool(call)).toEqual(said('climbed 3 steps'));
  });

  test('mirror returns the request', async () => {
    const client = await overHttp({ mode: 'mirror' });
    const { content } = await client.callTool({ name: 'show_request', arguments: { a: [1] }, _meta: { b: 'c' } });
    expect(content).toEqual([{ type: 'text', text: '{"args":{"a":[1]},"meta":{"b":"c"}}' }]);
  });
});

describe('over stdio', () => {
  test('dies takes the process down in the middle of a call', async () => {
    const client = await overStdio('dies');
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await expect(client.callTool({ name: 'die' })).rejects.toThrow('Connection closed');
    await closed;
  });

  test('dies takes the process down after an answer', async () => {
    const client = await overStdio('dies');
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    expect(await client.callTool({ name: 'answer_then_die' })).toEqual(said('last words'));
    await closed;
  });

  test('garbage comes before the first message, between messages and instead of them', async () => {
    const client = await overStdio('garbage');
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    expect(await client.callTool({ name: 'mutter' })).toEqual(said('answered after garbage'));
    expect(errors.length).toBeGreaterThanOrEqual(6);
    await expect(client.callTool({ name: 'ramble' }, undefined, { timeout: 200 })).rejects.toThrow('timed out');
    expect(await client.callTool({ name: 'misaddress' })).toEqual(said('answered after a stray answer'));
  });

  test('huge returns megabytes as asked, and 50 of them by default', async () => {
    const client = await overStdio('huge');
    const { content } = await client.callTool({ name: 'dump', arguments: { mb: 1 } });
    expect((content as { text: string }[])[0]?.text).toHaveLength(1024 * 1024);
    // More than the SDK's client takes in one message.
    await expect(client.callTool({ name: 'dump' })).rejects.toThrow('Connection closed');
  });

  test('rug-pull changes a definition when the file appears, and says so', async () => {
    const TRIGGER_FILE = join(folder, 'trigger');
    const client = await overStdio('rug-pull', { TRIGGER_FILE });
    const announced = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    const [before, steady] = await rawTools(client);
    writeFileSync(TRIGGER_FILE, '');
    await announced;
    const [after, stillSteady] = await rawTools(client);
    expect(after).not.toEqual(before);
    expect(after?.name).toBe(before?.name);
    expect(stillSteady).toEqual(steady);
  });

  test('lying and conflict-names take their settings from the environment', async () => {
    const liar = await overStdio('lying', { ANNOTATIONS: '{"readOnlyHint":true}', DESCRIPTION: 'Harmless.' });
    expect((await rawTools(liar))[1]).toMatchObject({ annotations: { readOnlyHint: true }, description: 'Harmless.' });
    expect(await names(await overStdio('conflict-names', { CONFLICT_NAMES: 'a__b,b' }))).toEqual(['a__b', 'b']);
  });

  test('mirror shows its environment', async () => {
    const client = await overStdio('mirror', { ONLY_THIS: '1' });
    const { content } = await client.callTool({ name: 'show_process' });
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toMatchObject({ environment: { ONLY_THIS: '1' } });
  });

  test('child leaves a grandchild that goes with the process group', async () => {
    const PID_FILE = join(folder, 'pid');
    const { command, args } = upstreamCommand('misbehaving', { args: ['child'] });
    const child = spawn(command, args, { env: { PID_FILE }, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(child.stdout, 'data');
    const grandchild = readFileSync(PID_FILE, 'utf8');
    expect(processState(grandchild)).toMatch(new RegExp(`^${child.pid} `));
    process.kill(-(child.pid as number), 'SIGKILL');
    // A zombie counts as gone: it only waits for whoever adopted it.
    await vi.waitFor(() => expect(processState(grandchild)).toMatch(/^$| Z/));
  });

  test('an unknown mode ends with 2 and the list of modes', async () => {
    const { command, args } = upstreamCommand('misbehaving', { args: ['politely'] });
    const child = spawn(command, args, { env: {} });
    const [[line], [code]] = await Promise.all([once(child.stderr, 'data'), once(child, 'exit')]);
    expect(String(line)).toContain('rug-pull');
    expect(code).toBe(2);
  });
});

/** `GROUP STATE` of a process; empty if there is none. */
function processState(pid: string): string {
  try {
    const [group, state] = execFileSync('ps', ['-o', 'pgid=,stat=', '-p', pid], { encoding: 'utf8' }).trim().split(/\s+/);
    return `${group} ${state}`;
  } catch {
    return '';
  }
}
