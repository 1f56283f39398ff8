import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Digest } from '@countersign/contracts';
import { describe, expect, it, vi } from 'vitest';
import { host, rawServer, said, startedHost, stoppedClock, v1Server } from '../fixtures/host.ts';

const tool = (name: string, fields = {}) => ({ name, inputSchema: { type: 'object' }, ...fields });
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('an upstream over stdio', () => {
  it('gets the very arguments, our idempotency key and the trace, and nothing that belongs to another hop', async () => {
    const { call } = await startedHost({ raw: rawServer() });
    const args = Object.freeze({ n: 5, s: '5', list: Object.freeze(['', null]), ü: '😀' });
    const meta = {
      traceparent: '00-1',
      'com.example/tag': 1,
      progressToken: 'theirs',
      'io.modelcontextprotocol/clientInfo': {},
      'io.countersign/context': 'mine',
    };
    expect(said(await call('raw__echo', args, { meta }))).toEqual({
      args,
      meta: { traceparent: '00-1', 'com.example/tag': 1, 'io.countersign/idempotency-key': 'key-1' },
      id: expect.any(Number),
    });
  });

  it('is not asked for a tool by any name but the exact one (D1)', async () => {
    const { call } = await startedHost({ raw: rawServer(), other: rawServer() });
    for (const key of [
      'echo',
      'raw__Echo',
      'RAW__echo',
      'raw__echo ',
      'raw__\u0435cho',
      'raw_echo',
      'raw__',
      'raw__constructor',
      '__proto__',
      'other__raw__echo',
    ]) {
      expect(await call(key)).toMatchObject({ ok: false, error: { sent: false, code: 'upstream.down' } });
    }
    expect(said(await call('raw__calls'))).toEqual(['calls']);
    expect(said(await call('other__calls'))).toEqual(['calls']);
  });

  it('has its definitions pinned as it sent them, unknown fields included', async () => {
    const definition = {
      ...tool('odd', { annotations: { readOnlyHint: true, 'x-own': 1 } }),
      execution: { taskSupport: 'optional' },
      'x-more': [1],
    };
    const { upstreams } = await startedHost({ raw: rawServer({ TOOLS_TEXT: JSON.stringify([definition]) }) });
    expect(upstreams.tool('raw__odd')?.definition).toEqual(definition);
    expect(Object.isFrozen(upstreams.tool('raw__odd')?.definition.annotations)).toBe(true);
  });

  it('keeps its other tools when one is malformed, down to the bytes', async () => {
    const good = JSON.stringify(tool('good'));
    const broken = [
      '{"name":"twice","inputSchema":{"type":"object"},"inputSchema":{"type":"string"}}',
      '{"name":"proto","inputSchema":{"type":"object","properties":{"constructor":{}}}}',
      '{"name":"half","description":"\\ud800","inputSchema":{"type":"object"}}',
      `{"name":"deep","inputSchema":{"type":"object","properties":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}}`,
      '{"name":"odd","inputSchema":{"type":"string"}}',
      '42',
    ];
    const { upstreams, call } = await startedHost({ raw: rawServer({ TOOLS_TEXT: `[${[...broken, good].join()}]` }) });
    expect(upstreams.tools().map(({ key }) => key)).toEqual(['raw__good']);
    const refused = upstreams.status()[0]?.refused;
    expect(refused?.map(({ name }) => name)).toEqual(['', 'deep', 'half', 'odd', 'proto', 'twice']);
    expect(refused?.find(({ name }) => name === 'proto')?.reason).toContain('/inputSchema/properties/constructor');
    expect(await call('raw__twice')).toMatchObject({ ok: false, error: { sent: false } });
  });

  it('has all pages of its list read', async () => {
    const pages = JSON.stringify([JSON.stringify([tool('a'), tool('b')]), JSON.stringify([]), JSON.stringify([tool('c')])]);
    const { upstreams } = await startedHost({ raw: rawServer({ PAGES: pages }) });
    expect(upstreams.tools().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('is down when its list never ends', async () => {
    const { upstreams } = await startedHost({ raw: rawServer({ PAGES: 'endless' }) });
    expect(upstreams.status()[0]).toMatchObject({ state: 'down', error: expect.stringContaining('follows itself') });
  });

  it('has its results passed on as sent and frozen, whatever its outputSchema says', async () => {
    const { call } = await startedHost({ raw: rawServer() });
    const result = {
      content: [],
      structuredContent: { any: [1] },
      isError: true,
      resultType: 'input_required',
      requestState: '"\n😀',
      'x-own': null,
    };
    const outcome = await call('raw__result', { result });
    expect(outcome).toEqual({ ok: true, value: { kind: 'result', result } });
    const received = outcome.ok && outcome.value.kind === 'result' ? outcome.value.result : {};
    expect(Object.isFrozen(received) && Object.isFrozen(received.structuredContent)).toBe(true);
  });

  it('has its protocol errors passed on apart from results', async () => {
    const { call } = await startedHost({ raw: rawServer({ TOOLS_TEXT: JSON.stringify([tool('missing')]) }) });
    expect(await call('raw__missing')).toEqual({
      ok: true,
      value: { kind: 'error', error: { code: -32602, message: 'Unknown tool: missing', data: { name: 'missing' } } },
    });
  });

  it.each([
    ['a repeated key', '{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"content":[]}}\n'],
    ['a forbidden key', '{"jsonrpc":"2.0","id":$ID,"result":{"__proto__":{}}}\n'],
    ['an unsafe number', '{"jsonrpc":"2.0","id":$ID,"result":{"n":12345678901234567890}}\n'],
    ['half a surrogate', '{"jsonrpc":"2.0","id":$ID,"result":{"s":"\\ud800"}}\n'],
    ['broken grammar inside', '{"jsonrpc":"2.0","id":$ID,"result":{"a" 1}}\n'],
    ['a result that is no object', '{"jsonrpc":"2.0","id":$ID,"result":"done"}\n'],
    ['a result and an error', '{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"x"}}\n'],
    ['an error without a code', '{"jsonrpc":"2.0","id":$ID,"error":{"message":"x"}}\n'],
  ])('fails the call whose reply has %s, at once, and stays up', async (_, text) => {
    const { call, state } = await startedHost({ raw: rawServer() });
    expect(await call('raw__raw', { text })).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.bad_reply' } });
    expect(said(await call('raw__echo', { a: 1 }))).toMatchObject({ args: { a: 1 } });
    expect(state()).toBe('ready');
  });

  it('is answered by its own reply alone, whatever else it writes', async () => {
    const { call, entries } = await startedHost({ raw: rawServer() });
    const text = `Listening...\n\n[]\n42\n{"hello":"world"}\n{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":$ID,"method":"x"}\n\u001b[31m\n{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}\r\n`;
    expect(await call('raw__raw', { text })).toMatchObject({ ok: true, value: { kind: 'result', result: { content: [] } } });
    expect(entries.filter(({ message }) => message === 'upstream line skipped').length).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('that sends 50 MB, its id %s them, fails only that call', async (_, idFirst) => {
    const { call, state } = await startedHost({ raw: rawServer() });
    const [big, small] = await Promise.all([call('raw__big', { mb: 50, idFirst }), call('raw__echo', { a: 1 })]);
    expect(big).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.too_large' } });
    expect(said(small)).toMatchObject({ args: { a: 1 } });
    expect(state()).toBe('ready');
  });

  it('that sends an over-long line of nobody fails all that wait, and is started again', async () => {
    const { call, state } = await startedHost({ raw: rawServer({}, { max_result_bytes: 2000 }) });
    const pending = [call('raw__hang'), call('raw__raw', { text: `${'x'.repeat(3000)}\n` })];
    for (const outcome of await Promise.all(pending))
      expect(outcome).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.too_large' } });
    await vi.waitFor(() => expect(state()).toBe('ready'), 10_000);
    expect(said(await call('raw__cancelled'))).toEqual([]);
  });

  it('that dies fails what waits at once, keeps its tools listed, and is started again', async () => {
    const { call, state, upstreams } = await startedHost({ raw: rawServer() });
    const before = said(await call('raw__process')) as { pid: number };
    const [hung, died] = await Promise.all([call('raw__hang'), call('raw__exit', { code: 3 })]);
    for (const outcome of [hung, died]) expect(outcome).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.down' } });
    expect(upstreams.status()[0]).toMatchObject({ state: 'down', error: 'The server exited with code 3.' });
    expect(upstreams.tool('raw__echo')).toBeDefined();
    expect(await call('raw__echo')).toMatchObject({ ok: false, error: { sent: false, code: 'upstream.down' } });
    await vi.waitFor(() => expect(state()).toBe('ready'), 10_000);
    expect((said(await call('raw__process')) as { pid: number }).pid).not.toBe(before.pid);
  });

  it('on the v1 SDK that answers and then dies has given its answer', async () => {
    const { call, state } = await startedHost({ dies: v1Server('dies') });
    expect(said(await call('dies__answer_then_die'))).toBe('last words');
    await vi.waitFor(() => expect(state()).not.toBe('ready'), 10_000);
  });

  it('gets the configured environment and a minimal PATH, nothing of ours', async () => {
    process.env.COUNTERSIGN_TEST_SECRET = 'leak';
    const cwd = mkdtempSync(join(tmpdir(), 'countersign-cwd-'));
    const { call } = await startedHost({ raw: rawServer({ TOKEN: 'configured' }, { cwd }) });
    delete process.env.COUNTERSIGN_TEST_SECRET;
    const { env, cwd: there } = said(await call('raw__process')) as { env: Record<string, string>; cwd: string };
    expect(Object.keys(env).sort()).toEqual(['PATH', 'TOKEN']);
    expect(there).toBe(cwd);
  });

  it('is killed with its whole process group when it is closed', async () => {
    const { call, upstreams } = await startedHost({ raw: rawServer() });
    const { pid } = said(await call('raw__process')) as { pid: number };
    const grandchild = said(await call('raw__breed')) as number;
    expect(isAlive(grandchild)).toBe(true);
    await upstreams.close();
    await vi.waitFor(() => expect([isAlive(pid), isAlive(grandchild)]).toEqual([false, false]), 5000);
  });

  it('leaves no process behind when it dies by itself', async () => {
    const { call } = await startedHost({ raw: rawServer() });
    const grandchild = said(await call('raw__breed')) as number;
    await call('raw__exit', { code: 1 });
    await vi.waitFor(() => expect(isAlive(grandchild)).toBe(false), 10_000);
  });

  it('has its stderr in the log, harmless and without its secrets', async () => {
    const { call, entries } = await startedHost({ raw: rawServer({ TOKEN: 'hunter2-hunter2' }) });
    await call('raw__complain', { text: `red \u001b[31m hunter2-hunter2 \u202e\n${'x'.repeat(3000)}\nlast\n` });
    const lines = () => entries.filter(({ message }) => message === 'upstream stderr').map(({ fields }) => fields.stderr as string);
    await vi.waitFor(() => expect(lines()).toHaveLength(3), 5000);
    expect(lines()).toEqual(['red \\u{1b}[31m [secret] \\u{202e}', `${'x'.repeat(2000)}…`, 'last']);
  });

  it('that floods stderr fills the log no further than its share', async () => {
    const { call, entries } = await startedHost({ raw: rawServer() });
    await call('raw__complain', { text: 'again\n'.repeat(5000) });
    expect(said(await call('raw__echo', { a: 1 }))).toMatchObject({ args: { a: 1 } });
    await vi.waitFor(() => expect(entries.filter(({ message }) => message === 'upstream stderr')).toHaveLength(200), 5000);
  });
});

describe('what the upstream may ask and say unasked', () => {
  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'unknown/method'])(
    '%s is answered with -32601',
    async (method) => {
      const { call } = await startedHost({ raw: rawServer() });
      expect(said(await call('raw__ask', { method }))).toMatchObject({ error: { code: -32601 } });
    },
  );

  it('a ping is answered', async () => {
    const { call } = await startedHost({ raw: rawServer() });
    expect(said(await call('raw__ask', { method: 'ping' }))).toEqual({ result: {} });
  });

  it('a change of its list is told with what was added, changed and removed', async () => {
    const { call, upstreams } = await startedHost({ raw: rawServer() });
    const changes: unknown[] = [];
    upstreams.onChange((change) => changes.push(change));
    const pinned = upstreams.tool('raw__relist');
    await call('raw__relist', { text: JSON.stringify([tool('relist', { description: 'new' }), tool('fresh'), tool('echo')]) });
    await vi.waitFor(() => expect(changes).toHaveLength(1), 5000);
    expect(changes[0]).toMatchObject({
      added: [{ key: 'raw__fresh' }],
      changed: [{ before: { digest: pinned?.digest }, after: { key: 'raw__relist', definition: { description: 'new' } } }],
    });
    const { changed, removed } = changes[0] as { changed: unknown[]; removed: { key: string }[] };
    expect(changed).toHaveLength(1);
    expect(removed.map(({ key }) => key)).toContain('raw__hang');
    expect(upstreams.tools()).toHaveLength(3);
  });

  it('a change that it does not announce is found by the next refresh', async () => {
    const { clock, advance } = stoppedClock();
    const { upstreams, call } = await startedHost({ raw: rawServer() }, { clock });
    const changes: unknown[] = [];
    upstreams.onChange((change) => changes.push(change));
    await call('raw__relist', { text: JSON.stringify([tool('relist'), tool('fresh')]), quietly: true });
    advance(59_999);
    expect(said(await call('raw__relist', { text: JSON.stringify([tool('relist'), tool('later')]), quietly: true }))).toBe('changed');
    expect(changes).toEqual([]);
    advance(1);
    await vi.waitFor(() => expect(changes).toHaveLength(1), 5000);
    expect(changes[0]).toMatchObject({ added: [{ key: 'raw__later' }], changed: [] });
    advance(60_000);
    await call('raw__relist', { text: JSON.stringify([tool('relist')]), quietly: true });
    expect(changes).toHaveLength(1);
  });

  it('progress goes to the caller who wants it, without our token', async () => {
    const { call } = await startedHost({ raw: rawServer() });
    const seen: unknown[] = [];
    const meta = said(
      await call('raw__climb', { steps: 3 }, { onProgress: (progress) => seen.push(progress), meta: { progressToken: 'theirs' } }),
    );
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
    expect(meta).toMatchObject({ progressToken: expect.any(Number) });
    expect(said(await call('raw__climb', { steps: 2 }))).not.toHaveProperty('progressToken');
  });
});

describe('listeners and guards', () => {
  it('sends no call that was judged by another definition (A1)', async () => {
    const { call, upstreams } = await startedHost({ raw: rawServer() });
    const pinned = upstreams.tool('raw__echo')?.digest as Digest;
    expect(said(await call('raw__echo', { a: 1 }, { digest: pinned }))).toMatchObject({ args: { a: 1 } });
    const other = upstreams.tool('raw__calls')?.digest as Digest;
    expect(await call('raw__echo', {}, { digest: other })).toMatchObject({ ok: false, error: { sent: false, code: 'upstream.down' } });
    expect(said(await call('raw__calls'))).toEqual(['echo', 'calls']);
  });

  it('survive a listener that throws', async () => {
    const { call, upstreams, entries } = await startedHost({ raw: rawServer() });
    const broken = () => {
      throw new Error('listener');
    };
    upstreams.onChange(broken);
    let told = 0;
    const stop = upstreams.onChange(() => told++);
    expect(said(await call('raw__climb', { steps: 1 }, { onProgress: broken }))).toHaveProperty('progressToken');
    await call('raw__relist', { text: JSON.stringify([tool('relist')]) });
    await vi.waitFor(() => expect(told).toBe(1), 5000);
    stop();
    await call('raw__relist', { text: JSON.stringify([tool('relist'), tool('echo')]) });
    await vi.waitFor(() => expect(upstreams.tools()).toHaveLength(2), 5000);
    expect(told).toBe(1);
    expect(entries.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'a listener for progress failed',
      'a listener for changed tools failed',
      'a listener for changed tools failed',
    ]);
  });

  it('log a refused tool once, with the reason', async () => {
    const { call, upstreams, entries } = await startedHost({ raw: rawServer() });
    const list = (...more: unknown[]) => JSON.stringify([tool('relist'), tool('Bad Name'), ...more]);
    await call('raw__relist', { text: list() });
    await call('raw__relist', { text: list(tool('fresh')) });
    await vi.waitFor(() => expect(upstreams.tool('raw__fresh')).toBeDefined(), 5000);
    const refusals = entries.filter(({ message }) => message === 'upstream tool refused');
    expect(refusals.map(({ fields }) => fields)).toEqual([{ server: 'raw', tool: 'Bad Name', reason: expect.any(String) }]);
  });
});

describe('giving up', () => {
  it('after the limit tells the upstream, and a late reply changes nothing', async () => {
    const { clock, advance } = stoppedClock();
    const { call } = await startedHost({ raw: rawServer({}, { timeout: 5000 }) }, { clock });
    const hung = call('raw__hang');
    await call('raw__echo');
    advance(5000);
    expect(await hung).toEqual({
      ok: false,
      error: { sent: true, code: 'upstream.timeout', message: 'The server said nothing for 5000 ms.' },
    });
    const cancelled = said(await call('raw__cancelled')) as number[];
    expect(cancelled).toHaveLength(1);
    const late = `{"jsonrpc":"2.0","id":${cancelled[0]},"result":{"content":[]}}\n{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}\n`;
    expect(await call('raw__raw', { text: late })).toMatchObject({ ok: true });
  });

  it('waits on while there is progress, but no longer than the caller allows', async () => {
    const { clock, advance } = stoppedClock();
    const { call } = await startedHost({ raw: rawServer({}, { timeout: 5000 }) }, { clock });
    const steps: unknown[] = [];
    const hung = call('raw__hang', {}, { timeoutMs: 8000, onProgress: (progress) => steps.push(progress) });
    const { id } = said(await call('raw__echo')) as { id: number };
    advance(4000);
    const news = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id - 1},"progress":1}}\n{"jsonrpc":"2.0","id":$ID,"result":{}}\n`;
    await call('raw__raw', { text: news });
    expect(steps).toEqual([{ progress: 1 }]);
    advance(3000);
    expect(said(await call('raw__cancelled'))).toEqual([]);
    advance(1000);
    expect(await hung).toMatchObject({ error: { code: 'upstream.timeout', message: 'There was no reply within 8000 ms.' } });
  });

  it('on the caller’s signal tells the upstream; before sending, nothing leaves', async () => {
    const { call } = await startedHost({ raw: rawServer() });
    const controller = new AbortController();
    const hung = call('raw__hang', {}, { signal: controller.signal });
    await call('raw__echo');
    controller.abort();
    expect(await hung).toMatchObject({ ok: false, error: { sent: true, code: 'upstream.cancelled' } });
    expect(await call('raw__hang', {}, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { sent: false, code: 'upstream.cancelled' },
    });
    expect(said(await call('raw__cancelled'))).toHaveLength(1);
    expect(said(await call('raw__calls'))).toEqual(['hang', 'echo', 'cancelled', 'calls']);
  });

  it('never passes Node a timer that it can’t keep', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on('warning', onWarning);
    const { call } = await startedHost({ raw: rawServer({}, { timeout: 366 * 86_400_000 }) });
    expect(said(await call('raw__echo', { a: 1 }, { timeoutMs: Number.POSITIVE_INFINITY }))).toMatchObject({ args: { a: 1 } });
    process.off('warning', onWarning);
    expect(warnings).not.toContain('TimeoutOverflowWarning');
  });

  it('at close fails what waits and can be done twice', async () => {
    const { call, upstreams } = await startedHost({ raw: rawServer() });
    const hung = call('raw__hang');
    await call('raw__echo');
    await Promise.all([upstreams.close(), upstreams.close()]);
    expect(await hung).toMatchObject({ ok: false, error: { sent: true } });
    expect(await call('raw__echo')).toMatchObject({ ok: false, error: { sent: false, code: 'upstream.down' } });
  });
});

describe('coming up', () => {
  it('as legacy when the server dies of the question which era it speaks', async () => {
    const { call, state } = await startedHost({ raw: rawServer({ MODE: 'dies-on-probe' }) });
    expect(state()).toBe('ready');
    expect(said(await call('raw__echo', { a: 1 }))).toMatchObject({ args: { a: 1 } });
  });

  it('as legacy when the server does not answer that question', async () => {
    const { state } = await startedHost({ raw: rawServer({ MODE: 'silent-on-probe' }) }, { timing: { probeMs: 50 } });
    expect(state()).toBe('ready');
  });

  it('does not keep the host waiting for a server that says nothing, and close does not either', async () => {
    const { upstreams, state, call } = host(
      { mute: rawServer({ MODE: 'silent' }), raw: rawServer() },
      { timing: { startMs: 50, probeMs: 50 } },
    );
    await upstreams.start();
    expect(state('mute')).toBe('connecting');
    await vi.waitFor(() => expect(state('raw')).toBe('ready'), 10_000);
    expect(said(await call('raw__echo', { a: 1 }))).toMatchObject({ args: { a: 1 } });
    await upstreams.close();
    expect(state('mute')).toBe('down');
  });

  it('lets a call wait for the connection that is being made', async () => {
    const { upstreams, call } = await startedHost({ raw: rawServer() });
    await call('raw__exit', { code: 1 });
    await vi.waitFor(() => expect(upstreams.status()[0]?.state).toBe('connecting'), { timeout: 5000, interval: 1 });
    expect(said(await call('raw__echo', { a: 1 }))).toMatchObject({ args: { a: 1 } });
  });

  it('says why it failed, with the last words of the server', async () => {
    const { clock } = stoppedClock();
    const { upstreams } = await startedHost(
      {
        absent: rawServer({}, { command: 'no-such-command' }),
        broken: rawServer({}, { args: ['--eval', 'console.error("no config"); process.exit(4)'] }),
      },
      { clock },
    );
    expect(upstreams.status()).toMatchObject([
      { server: 'absent', state: 'down', error: expect.stringContaining('no-such-command') },
      { server: 'broken', state: 'down', error: 'The server exited with code 4. It wrote: no config' },
    ]);
  });

  it('tries again with growing delays, up to 30 s', async () => {
    const { clock, advance, waiting } = stoppedClock();
    const { upstreams, entries } = await startedHost({ absent: rawServer({}, { command: 'no-such-command' }) }, { clock });
    const delays: unknown[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      await vi.waitFor(() => expect(entries.filter(({ message }) => message === 'upstream is down')).toHaveLength(attempt), 5000);
      delays.push(entries.at(-1)?.fields.retryMs);
      expect(upstreams.status()[0]?.state).toBe('down');
      advance(waiting().at(-1) ?? 0);
    }
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('refuses a server key that is no key', () => {
    expect(() => host({ acme_: rawServer() })).toThrow('acme_');
  });
});
