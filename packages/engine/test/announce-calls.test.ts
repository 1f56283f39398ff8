import {
  type ChangeNotice,
  dispatchCall,
  expireDecision,
  freezeHost,
  suspendAgent,
  TOPIC,
  thawHost,
  withdrawDecision,
} from '@countersign/engine';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();
const BOTH = { ...EAT, answer_by: ['ada', 'ben'], needs: 2 };

/** What pages hear of calls from now on, in order. */
function hearing(on: TestHost): readonly ChangeNotice[] {
  const heard: ChangeNotice[] = [];
  on.deps.signals.subscribe(TOPIC.changes, (text) => {
    const notice = JSON.parse(text) as ChangeNotice;
    if (notice.type === 'call') heard.push(notice);
  });
  return heard;
}

const statesOf = (heard: readonly ChangeNotice[]) => heard.map(({ state }) => state);

async function pending(on: TestHost): Promise<{ readonly decision: string; readonly call: string }> {
  const held = await on.call('researcher', 'jar__cookie_jar', { action: 'eat', amount: 3 });
  if (held.kind !== 'held') throw new Error(`Not held: ${held.kind}`);
  return { decision: held.decisions[0]!.id, call: held.call };
}

describe('a call that somebody decides', () => {
  it('is announced when it is claimed and when it is done, to all who may see its decision and to nobody else', async () => {
    const on = await host({ rules: [BOTH] });
    const heard = hearing(on);
    const { decision, call } = await pending(on);
    await on.answer('ada', decision, {});
    await on.answer('ben', decision, {});
    await on.work();
    expect(heard.map(({ id }) => id)).toEqual(heard.map(() => call));
    expect(statesOf(heard).slice(-2)).toEqual(['executing', 'done']);
    for (const { seenBy } of heard) expect([...seenBy].sort()).toEqual(['ada', 'ben']);
  });

  it.each([
    ['failed', { ok: true, value: { kind: 'error', error: { code: -1, message: 'no' } } }],
    ['unknown', { ok: false, error: { sent: true, code: 'upstream.timeout', message: 'silence' } }],
    ['queued', { ok: false, error: { sent: false, code: 'upstream.down', message: 'not there' } }],
  ] as const)('is announced as %s when that is what became of it', async (state, answer) => {
    const on = await host({ rules: [EAT] });
    on.upstreams.behave(() => answer);
    const heard = hearing(on);
    const { decision } = await pending(on);
    await on.answer('ada', decision, {});
    await on.work();
    expect(statesOf(heard)).toEqual(['executing', state]);
  });

  it.each<[string, (on: TestHost, decision: string) => Promise<unknown>]>([
    ['refused', (on, decision) => on.answer('ada', decision, { effect: 'refuse' })],
    ['withdrawn', async (on, decision) => withdrawDecision(on.deps, await on.caller('researcher'), decision, 'not needed')],
    ['suspended with its agent', async (on) => suspendAgent(on.deps, { caller: await on.caller('ada') }, 'researcher')],
    [
      'expired',
      async (on, decision) => {
        on.pass(25 * 3_600_000);
        await expireDecision(on.deps, decision);
      },
    ],
  ])('is announced when it ends without being sent: %s', async (_, end) => {
    const on = await host({ rules: [EAT] });
    const { decision, call } = await pending(on);
    const heard = hearing(on);
    await end(on, decision);
    expect(heard).toEqual([{ type: 'call', id: call, state: 'refused', seenBy: ['ada'] }]);
  });

  it('is announced when its caller left before it knew', async () => {
    const on = await host({ rules: [EAT] });
    const heard = hearing(on);
    const leaving = new AbortController();
    await on.call(
      'researcher',
      'jar__cookie_jar',
      { action: 'eat' },
      { waitMs: 60_000, signal: leaving.signal, onHeld: () => leaving.abort() },
    );
    expect(statesOf(heard)).toEqual(['abandoned']);
  });

  it('is announced to those who had approved it when another says no', async () => {
    const mine = { ...EAT, id: 'bens', answer_by: ['ben'] };
    const on = await host({ rules: [EAT, mine] });
    await pending(on);
    const of = async (name: string) => (await on.decisions(name)).find((decision) => decision.answerBy.includes(name))?.id ?? '';
    await on.answer('ben', await of('ben'), {});
    const heard = hearing(on);
    await on.answer('ada', await of('ada'), { effect: 'refuse' });
    expect(heard).toMatchObject([{ state: 'refused' }]);
    expect([...(heard[0]?.seenBy ?? [])].sort()).toEqual(['ada', 'ben']);
  });

  it('is announced as held again when its approval no longer covers it', async () => {
    const on = await host({ rules: [EAT] });
    const { decision, call } = await pending(on);
    await on.answer('ada', decision, {});
    on.setRules([{ ...EAT, reason: 'Only after dinner.' }]);
    const heard = hearing(on);
    await dispatchCall(on.deps, call);
    expect(statesOf(heard)).toEqual(['held']);
  });

  it('is not claimed, nor said to be, while the host is frozen', async () => {
    const on = await host({ rules: [EAT] });
    const { decision } = await pending(on);
    await on.answer('ada', decision, {});
    await freezeHost(on.deps, { operator: true }, 'looking');
    const heard = hearing(on);
    await on.work();
    expect(heard).toEqual([]);
    await thawHost(on.deps, { operator: true });
  });
});

describe('a call that nobody is asked about', () => {
  it('is not announced', async () => {
    const on = await host();
    const heard = hearing(on);
    await on.call('researcher', 'jar__cookie_jar', { action: 'count' });
    expect(heard).toEqual([]);
  });
});
