import { afterEach, expect, test } from 'vitest';
import { aDecision, aDecisionOn, DECISION_ID, type FakeHost, fakeHost, problem } from './fake-host.ts';
import { runCli, startCli } from './run-cli.ts';

const PATH = `/api/v1/decisions/${DECISION_ID}`;
const GET = `GET ${PATH}`;
const ANSWER = `POST ${PATH}/answer`;

let host: FakeHost | undefined;
afterEach(() => host?.close());
const env = () => ({ COUNTERSIGN_URL: host?.url ?? '', COUNTERSIGN_TOKEN: 'csp_ben' });
const decisions = (...argv: string[]) => runCli(['decisions', ...argv], { env: env() });
const approved = aDecision({ state: 'approved', version: 4, call: { ...aDecision().call, state: 'queued' } as never });

test('lists what waits as a table, and as the page itself with --json', async () => {
  host = await fakeHost({ 'GET /api/v1/decisions': () => ({ body: { items: [aDecision()], nextCursor: null } }) });
  const text = await decisions();
  expect(text.stdout).toContain('Send $250 to Northwind');
  expect(text.stdout).toMatch(/large-payment .*4 min .*23 h left/);
  const json = await decisions('list', '--json', '--state', 'pending,approved', '--limit', '7');
  expect(JSON.parse(json.stdout)).toEqual({ items: [aDecision()], nextCursor: null });
  expect(Object.fromEntries(host.seen.at(-1)?.query ?? [])).toMatchObject({ state: 'pending,approved', limit: '7' });
});

test('shows the whole record: why, who, what was seen and claimed, and the exact arguments', async () => {
  const evidence = {
    id: 'evd_01jdqz6v8me2ks1nxh8v4yq3bk',
    claim: 'Read it',
    source: 'ticket',
    reference: 'PAY-1',
    at: '2026-11-30T11:55:00.000Z',
  };
  const decision = aDecision({
    evidence: [evidence] as never,
    context: { seen: { calls: ['ledger__list_payments'] }, claimed: 'The invoice is due.' },
  });
  host = await fakeHost({ [GET]: () => ({ body: decision }) });
  const { stdout, code } = await decisions('show', DECISION_ID);
  expect(code).toBe(0);
  for (const words of [
    'large-payment',
    'ben › treasurer',
    'ledger__list_payments',
    'not checked',
    '│ The invoice is due.',
    'ticket PAY-1',
    '│   "amount": 250',
  ]) {
    expect(stdout).toContain(words);
  }
});

test('shows hidden and reordering characters of an agent by their numbers (E2)', async () => {
  const claimed = 'fine\u001b[2K\rharmless \u202etxet\u200b';
  const hidden = aDecisionOn({ path: 'a\u202eb\u200bc\u001b[31m' }, { context: { seen: {}, claimed }, title: 'Write \u202ea' });
  host = await fakeHost({
    [GET]: () => ({ body: hidden }),
    'GET /api/v1/decisions': () => ({ body: { items: [hidden], nextCursor: null } }),
  });
  const shown = await decisions('show', DECISION_ID);
  const json = await decisions('show', DECISION_ID, '--json');
  const list = await decisions();
  for (const { stdout } of [shown, json, list]) {
    for (const character of ['\u001b', '\r', '\u202e', '\u200b']) expect(stdout).not.toContain(character);
  }
  expect(shown.stdout).toContain('a⟨U+202E⟩b⟨U+200B⟩c\\u001b[31m');
  expect(shown.stdout).toContain('│ fine⟨U+001B⟩[2K⟨U+000D⟩harmless ⟨U+202E⟩txet⟨U+200B⟩');
  expect(JSON.parse(json.stdout)).toEqual(hidden);
});

test('shows what stands behind 100,000 characters of padding, and says that there is that much (E2)', async () => {
  const content = `harmless${' '.repeat(100_000)}rm -rf /`;
  host = await fakeHost({ [GET]: () => ({ body: aDecisionOn({ content }) }) });
  const { stdout } = await decisions('show', DECISION_ID);
  expect(stdout).toContain(JSON.stringify(content));
  expect(stdout).toContain(`long value: content, ${content.length} characters`);
});

test('approves what was shown: the version and the digest that were read go back', async () => {
  host = await fakeHost({ [GET]: () => ({ body: aDecision() }), [ANSWER]: () => ({ body: approved }) });
  const { code, stdout, stderr } = await decisions('approve', DECISION_ID, '--note', 'invoice checked');
  expect(code).toBe(0);
  expect(stdout).toBe(`${DECISION_ID}: approved. The call is queued.\n`);
  expect(stderr).toContain('"amount": 250');
  expect(host.seen.at(-1)).toMatchObject({
    token: 'csp_ben',
    body: { version: 3, shownDigest: aDecision().shownDigest, effect: 'approve', note: 'invoice checked' },
  });
});

test('shows edited arguments before it sends them', async () => {
  host = await fakeHost({ [GET]: () => ({ body: aDecision() }), [ANSWER]: () => ({ body: approved }) });
  const { stderr } = await decisions('approve', DECISION_ID, '--edit', '{"to":"Northwind","amount":25}');
  expect(stderr).toMatch(/this is what would run:\n.*ledger__send_money[\s\S]*"amount": 25\n/);
  expect(host.seen.at(-1)?.body).toMatchObject({ editedArgs: { to: 'Northwind', amount: 25 } });
});

test('asks a person at a terminal and answers nothing unless it is a yes', async () => {
  host = await fakeHost({ [GET]: () => ({ body: aDecision() }), [ANSWER]: () => ({ body: approved }) });
  const asked = { env: env(), isInteractive: true };
  const no = await runCli(['decisions', 'approve', DECISION_ID], { ...asked, stdin: 'n\n' });
  expect(no).toMatchObject({ code: 1, stdout: '' });
  expect(host.seen.some(({ route }) => route === ANSWER)).toBe(false);
  const yes = await runCli(['decisions', 'approve', DECISION_ID], { ...asked, stdin: 'y\n' });
  expect(yes.code).toBe(0);
});

test.each([
  ['decision.already_answered', 409, 1],
  ['decision.not_yours', 403, 4],
  ['decision.note_required', 400, 2],
] as const)('ends with the code of %s and says on standard error what happened', async (code, status, exit) => {
  host = await fakeHost({ [GET]: () => ({ body: aDecision() }), [ANSWER]: () => problem(code, status, 'ben refused it 12 s ago.') });
  const { stdout, ...ended } = await decisions('refuse', DECISION_ID, '--json');
  expect(ended.code).toBe(exit);
  expect(stdout).toBe('');
  expect(JSON.parse(ended.stderr)).toMatchObject({ error: { code, message: 'ben refused it 12 s ago.' } });
});

test('withdraws with a reason', async () => {
  host = await fakeHost({ [`POST ${PATH}/withdraw`]: () => ({ body: aDecision({ state: 'withdrawn' }) }) });
  expect((await decisions('withdraw', DECISION_ID, '--reason', 'paid by hand')).stdout).toBe(`${DECISION_ID}: withdrawn.\n`);
  expect(host.seen.at(-1)?.body).toEqual({ reason: 'paid by hand' });
});

test('watches: what waits now, then each change once, until it is stopped', async () => {
  let current = aDecision();
  host = await fakeHost({
    'GET /api/v1/decisions': () => ({ body: { items: [current], nextCursor: null } }),
    [GET]: () => ({ body: current }),
  });
  const watching = startCli(['decisions', 'watch', '--json'], { env: env() });
  await expect.poll(() => watching.stdout().split('\n').length).toBe(2);
  current = approved;
  host.send({ type: 'decision', id: DECISION_ID, state: 'approved', version: 4 });
  host.send({ type: 'decision', id: DECISION_ID, state: 'approved', version: 4 });
  host.send({ type: 'decision', id: 'dec_of_somebody_else' });
  await expect.poll(() => host?.seen.filter(({ route }) => route.startsWith('GET /api/v1/decisions/')).length).toBe(3);
  watching.stop();
  const { code, stdout } = await watching.ended;
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { state: string }).state),
  ).toEqual(['pending', 'approved']);
});
