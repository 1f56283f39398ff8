import { afterEach, expect, test } from 'vitest';
import { runScript, type Script, type ScriptEvent, type Step } from '../src/index.ts';
import { type Endpoint, endedBy, heldAs, startEndpoint, TOKEN, text } from './endpoint.ts';

const step = (tool: string, more: Partial<Step> = {}): Step => ({ tool, arguments: {}, about: '', ...more });
const script = (...steps: readonly Step[]): Script => ({ agent: 'researcher', steps });

let endpoint: Endpoint | undefined;
const stop = new AbortController();
afterEach(() => endpoint?.stop());

async function play(
  steps: Script,
  {
    token = TOKEN,
    signal = stop.signal,
    onPause = async () => {},
  }: { token?: string; signal?: AbortSignal; onPause?: (ms: number) => Promise<void> } = {},
): Promise<ScriptEvent[]> {
  const events: ScriptEvent[] = [];
  const pause = async (ms: number, over: AbortSignal) => {
    await onPause(ms);
    await new Promise((resolve) => setImmediate(resolve));
    over.throwIfAborted();
  };
  await runScript(steps, { mcpUrl: endpoint!.url, token, signal, log: (event) => events.push(event), pause });
  return events;
}
const told = (events: readonly ScriptEvent[]) =>
  events.map((event) =>
    event.kind === 'step' ? `${event.step.tool} ${event.end.kind}${event.afterHold ? ' after hold' : ''}` : event.kind,
  );

test('tells each way in which a step ends apart and takes the next one', async () => {
  endpoint = await startEndpoint(({ tool }) => {
    if (tool === 'rule') return endedBy('refused_by_rule');
    if (tool === 'unsure') return endedBy('outcome_unknown');
    return text('said the upstream', { isError: tool === 'broken' });
  });
  const events = await play(script(step('fine'), step('broken'), step('rule'), step('unsure')));
  expect(told(events)).toEqual(['fine done', 'broken failed', 'rule refused', 'unsure unknown']);
});

test('takes the next step while a held one waits, and reports the answer when it comes', async () => {
  let asked = 0;
  endpoint = await startEndpoint(({ tool }) => {
    if (tool === 'eat') return heldAs('dec_1');
    if (tool === 'get_decision') return text('', { structuredContent: { answerBy: ['ada'] } });
    if (tool === 'await_decision') return ++asked < 3 ? heldAs('dec_1') : text('Ate 3 cookies');
    return text('fine');
  });
  const events = await play(script(step('eat'), step('next')));
  expect(told(events)).toEqual(['eat held', 'next done', 'eat done after hold']);
  expect(events[0]).toMatchObject({ end: { waitsFor: ['ada'] } });
  expect(endpoint.calls.filter(({ tool }) => tool === 'await_decision')[0]?.args).toMatchObject({ id: 'dec_1' });
});

test('stands still at a held step that says so', async () => {
  endpoint = await startEndpoint(({ tool }) => {
    if (tool === 'eat') return heldAs('dec_1');
    return tool === 'await_decision' ? endedBy('refused_by_principal') : text('fine');
  });
  const events = await play(script(step('eat', { whenHeld: 'stand_still' }), step('next')));
  expect(told(events)).toEqual(['eat held', 'eat refused after hold', 'next done']);
});

test('awaits the answer over a restart of the host, which it mentions once', async () => {
  let restarted = false;
  endpoint = await startEndpoint(({ tool }) => {
    if (tool === 'eat') return heldAs('dec_1');
    return tool === 'await_decision' && restarted ? text('Ate 3 cookies') : heldAs('dec_1');
  });
  let failures = 0;
  const events = await play(script(step('eat')), {
    onPause: async (ms) => {
      if (ms === 2000 && !restarted) await endpoint!.stop();
      if (ms === 500 || ms === 1000) failures += 1;
      if (failures === 2 && !restarted) {
        restarted = true;
        await endpoint!.start();
      }
    },
  });
  expect(told(events)).toEqual(['eat held', 'waiting_for_host', 'eat done after hold']);
});

test('waits for a host that is not there yet and makes the call then', async () => {
  endpoint = await startEndpoint(() => text('fine'));
  await endpoint.stop();
  let waits = 0;
  const events = await play(script(step('count')), {
    onPause: async () => {
      waits += 1;
      if (waits === 2) await endpoint!.start();
    },
  });
  expect(told(events)).toEqual(['waiting_for_host', 'count done']);
  expect(endpoint.calls).toHaveLength(1);
});

test('never repeats a call whose answer got lost', async () => {
  endpoint = await startEndpoint(({ tool }, kill) => {
    if (tool === 'pay') kill();
    return text('fine');
  });
  const events = await play(script(step('pay'), step('next')));
  expect(told(events)).toEqual(['pay unknown', 'next done']);
  expect(endpoint.calls.map(({ tool }) => tool)).toEqual(['pay', 'next']);
});

test('ends and says so when its credential is turned away', async () => {
  endpoint = await startEndpoint(() => text('fine'));
  const events = await play(script(step('count'), step('next')), { token: 'csa_wrong' });
  expect(told(events)).toEqual(['turned_away']);
  expect(endpoint.calls).toEqual([]);
});

test('ends quietly when it is aborted while an answer is out', async () => {
  endpoint = await startEndpoint(() => heldAs('dec_1'));
  const over = new AbortController();
  const events = await play(script(step('eat')), {
    signal: over.signal,
    onPause: async (ms) => {
      if (ms === 2000) over.abort();
    },
  });
  expect(told(events)).toEqual(['eat held']);
});
