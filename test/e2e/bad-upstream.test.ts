import { join } from 'node:path';
import { startFixture } from '@countersign/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approve, pendingOf, readDecision, settledCall } from './answers.ts';
import { type Agent, codeOf, connectAgent, heldAs, textOf } from './mcp-clients.ts';
import { childrenOf } from './processes.ts';
import { aConfig, executionsIn, stdioServer } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';
import { until } from './until.ts';

const counted = join(scratch('upstream'), 'counted.jsonl');
const misbehaving = (mode: string) => stdioServer('misbehaving', {}, [mode]);
let host: StartedHost;
let agent: Agent;
let losing: Awaited<ReturnType<typeof startFixture>>;
let farHuge: typeof losing;
let answersLost = false;
beforeAll(async () => {
  losing = await startFixture({
    mode: 'counter',
    counterFile: counted,
    onRequest: ({ message }) => ((message as { method?: string }).method === 'tools/call' && answersLost ? 'lose-answer' : undefined),
  });
  farHuge = await startFixture({ mode: 'huge' });
  const servers = {
    never: { command: '/nowhere/no-such-program' },
    closed: { url: 'http://127.0.0.1:9/mcp' },
    slow: { ...misbehaving('slow'), timeout: '1s' },
    dies: misbehaving('dies'),
    garbage: { ...misbehaving('garbage'), timeout: '2s' },
    huge: misbehaving('huge'),
    'far-huge': { url: farHuge.url },
    losing: { url: losing.url },
  };
  const rules = [
    { id: 'gated', tool: 'losing__increment', when: 'always', reason: 'Gated.' },
    { id: 'death', tool: 'dies__die', when: 'it is gated', match: 'has(args.gated)', reason: 'It dies.' },
  ];
  host = await startHost({ config: aConfig({ servers, rules }) });
  agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
});
afterAll(() => Promise.all([losing.close(), farHuge.close()]));

/** How a call ended, and that the host still answers others at once. */
async function ending(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const result = await agent.call(tool, args, { timeout: 20_000 });
  return codeOf(result) ?? textOf(result);
}

describe('an upstream', () => {
  it('that can’t be started or reached takes nothing from the others, and readiness names it', async () => {
    const tools = await agent.tools();
    expect(tools.filter((name) => name.startsWith('never__') || name.startsWith('closed__'))).toEqual([]);
    expect(tools).toEqual(expect.arrayContaining(['slow__wake', 'dies__live', 'garbage__mutter', 'huge__sip']));
    const { checks } = mustBe(await host.operator().host.ready());
    expect(checks).toEqual(
      expect.arrayContaining([
        { name: 'upstream never', ok: false },
        { name: 'upstream closed', ok: false },
        { name: 'upstream dies', ok: true },
      ]),
    );
  });

  it('that is slow runs into its timeout with an unknown outcome, and others are served meanwhile', async () => {
    const napping = ending('slow__nap', { ms: 60_000 });
    expect(await ending('slow__wake')).toBe('wake ran');
    expect(await napping).toBe('outcome_unknown');
  });

  it('that dies mid-call leaves an unknown outcome, is started again, and is sent nothing twice', async () => {
    const before = childrenOf(host.pid()).length;
    expect(await ending('dies__die')).toBe('outcome_unknown');
    await until('it is back', async () => (await ending('dies__live')) === 'live ran');
    expect(childrenOf(host.pid()).length).toBe(before);
  });

  it('that dies during an approved call makes a person asked, and a "no" to sending it again leaves it at that', async () => {
    const ada = await host.principal('ada');
    const id = heldAs(await agent.call('dies__die', { gated: true }));
    await approve(ada, id);
    const question = await until('the person is asked', async () => (await pendingOf(ada)).find(({ kind }) => kind === 'outcome'));
    expect(question).toMatchObject({ call: { state: 'unknown', tool: 'dies__die' } });
    expect(codeOf(await agent.call('await_decision', { id }))).toBe('outcome_unknown');
    mustBe(
      await ada.decisions.answer(question.id, {
        version: question.version,
        shownDigest: question.shownDigest,
        effect: 'refuse',
        note: 'It is dead.',
      }),
    );
    expect((await readDecision(ada, id)).call?.state).not.toBe('queued');
    await until('it is back', async () => (await ending('dies__live')) === 'live ran');
  });

  it('that writes garbage is heard through it, and garbage instead of an answer is an unknown outcome', async () => {
    expect(await ending('garbage__mutter')).toBe('answered after garbage');
    expect(await ending('garbage__misaddress')).toBe('answered after a stray answer');
    expect(await ending('garbage__ramble')).toBe('outcome_unknown');
    expect(await ending('garbage__mutter')).toBe('answered after garbage');
  });

  it('that answers with 50 MB is cut off at the cap, over a pipe and over HTTP', async () => {
    for (const server of ['huge', 'far-huge']) {
      const result = await agent.call(`${server}__dump`, { mb: 50 }, { timeout: 60_000 });
      expect(codeOf(result)).toBe('outcome_unknown');
      expect(textOf(result)).toMatch(/longer than \d+ bytes/);
      await until('it serves', async () => (await ending(`${server}__sip`)) === 'sip ran');
      expect(await ending(`${server}__dump`, { mb: 1 })).toHaveLength(1024 * 1024);
    }
  });

  it('whose answer is lost on the way is not asked again by itself, and a person is', async () => {
    const ada = await host.principal('ada');
    answersLost = true;
    const id = heldAs(await agent.call('losing__increment', { test: 'lost' }));
    await approve(ada, id);
    const { call } = await settledCall(ada, id);
    expect(call?.state).toBe('unknown');
    answersLost = false;
    const question = (await pendingOf(ada)).find((decision) => decision.kind === 'outcome' && decision.call?.id === call?.id);
    expect(executionsIn(counted)).toHaveLength(1);
    await approve(ada, question?.id ?? '');
    await until('it was sent again, under the same key', () => executionsIn(counted).length === 2);
    expect(new Set(executionsIn(counted).map(({ meta }) => meta['io.countersign/idempotency-key']))).toEqual(new Set([call?.id]));
  });
});
