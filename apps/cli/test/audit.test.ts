import { afterEach, expect, test } from 'vitest';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { runCli, startCli } from './run-cli.ts';

const anEvent = (cursor: number, payload: object = {}) => ({
  cursor: String(cursor),
  id: 'evt_01jdqz6v8me2ks1nxh8v4yq3bk',
  seq: null,
  type: 'call.refused',
  at: '2026-11-30T11:00:00.000Z',
  actor: { kind: 'agent', name: 'researcher' },
  principal: 'ada',
  agent: 'researcher',
  run: null,
  call: null,
  decision: null,
  payload,
});

let host: FakeHost | undefined;
afterEach(() => host?.close());
const env = () => ({ COUNTERSIGN_URL: host?.url ?? '', COUNTERSIGN_TOKEN: 'csp_ada' });

test('sends its filters and prints one event a line, with hidden characters visible (E2)', async () => {
  host = await fakeHost({ 'GET /api/v1/audit': () => ({ body: { items: [anEvent(1, { note: 'x\u202ey' })], nextCursor: '1' } }) });
  const argv = ['audit', 'query', '--type', 'call.refused', '--agent', 'researcher', '--since', '30m', '--search', 'x', '--limit', '1'];
  const { stdout, stderr } = await runCli(argv, { env: env() });
  expect(stdout).toBe('2026-11-30T11:00:00.000Z  call.refused  agent researcher  {"note":"x⟨U+202E⟩y"}\n');
  expect(stderr).toContain('--cursor 1');
  expect(Object.fromEntries(host.seen[0]?.query ?? [])).toEqual({
    type: 'call.refused',
    agent: 'researcher',
    since: '2026-11-30T11:30:00.000Z',
    q: 'x',
    limit: '1',
    order: 'newest',
  });
});

test('follows: what there is in order, then what comes, each event once', async () => {
  const log = [anEvent(1), anEvent(2)];
  host = await fakeHost({
    'GET /api/v1/audit': ({ query }) => {
      const after = log.filter(({ cursor }) => Number(cursor) > Number(query.get('cursor') ?? 0));
      return { body: { items: query.get('order') === 'newest' ? after.toReversed() : after, nextCursor: null } };
    },
  });
  const following = startCli(['audit', 'query', '--follow', '--json'], { env: env() });
  const cursors = () =>
    following
      .stdout()
      .trim()
      .split('\n')
      .map((line) => (line === '' ? '' : (JSON.parse(line) as { cursor: string }).cursor));
  await expect.poll(cursors).toEqual(['1', '2']);
  log.push(anEvent(3));
  host.send({ type: 'call', id: 'call_1' });
  await expect.poll(cursors).toEqual(['1', '2', '3']);
  following.stop();
  expect((await following.ended).code).toBe(0);
});
