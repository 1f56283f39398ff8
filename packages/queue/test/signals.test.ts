import { describe, expect, it, vi } from 'vitest';
import { memorySignals } from '../src/signals.ts';

const delivered = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('memorySignals', () => {
  it("reaches every listener of the topic, in order, after the publisher's own code", async () => {
    const signals = memorySignals();
    const heard: string[] = [];
    signals.subscribe('a', (payload) => heard.push(`one ${payload}`));
    signals.subscribe('a', (payload) => heard.push(`two ${payload}`));
    signals.subscribe('b', (payload) => heard.push(`other ${payload}`));
    signals.publish('a', '1');
    signals.publish('a', '2');
    expect(heard).toEqual([]);
    await delivered();
    expect(heard).toEqual(['one 1', 'two 1', 'one 2', 'two 2']);
  });

  it('keeps what a listener throws from the publisher and from other listeners', async () => {
    const onError = vi.fn();
    const signals = memorySignals(onError);
    const heard: string[] = [];
    const bug = new Error('no');
    signals.subscribe('a', () => {
      throw bug;
    });
    signals.subscribe('a', (payload) => heard.push(payload));
    signals.publish('a', '1');
    await delivered();
    expect(heard).toEqual(['1']);
    expect(onError).toHaveBeenCalledExactlyOnceWith(bug);
  });

  it('warns of it where nobody asked to be told', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const signals = memorySignals();
    signals.subscribe('a', () => {
      throw new Error('a listener is wrong');
    });
    signals.publish('a', '1');
    expect((await warned).message).toBe('a listener is wrong');
  });

  it('ends a subscription at once, even between publishing and delivery, and that one only', async () => {
    const signals = memorySignals();
    const heard: string[] = [];
    const listener = (payload: string) => void heard.push(payload);
    const end = signals.subscribe('a', listener);
    signals.subscribe('a', listener);
    signals.publish('a', '1');
    end();
    end();
    await delivered();
    expect(heard).toEqual(['1']);
  });

  it("lets a listener end another's subscription before it is served", async () => {
    const signals = memorySignals();
    const heard: string[] = [];
    let end: () => void = () => {};
    signals.subscribe('a', () => end());
    end = signals.subscribe('a', (payload) => heard.push(payload));
    signals.publish('a', '1');
    await delivered();
    expect(heard).toEqual([]);
  });

  it('takes a thousand listeners without a warning', async () => {
    const warning = vi.fn();
    process.on('warning', warning);
    const signals = memorySignals();
    let count = 0;
    for (let i = 0; i < 1000; i++) signals.subscribe('a', () => count++);
    signals.publish('a', '');
    await delivered();
    expect(count).toBe(1000);
    expect(warning).not.toHaveBeenCalled();
    process.off('warning', warning);
  });

  it('serves nobody once it is closed', async () => {
    const signals = memorySignals();
    const heard: string[] = [];
    signals.subscribe('a', (payload) => heard.push(payload));
    signals.publish('a', '1');
    await signals.close();
    signals.publish('a', '2');
    await delivered();
    expect(heard).toEqual([]);
  });
});
