/**
 * Wakes whoever waits, in this process or another, faster than the queue: not stored, so whoever was not listening hears
 * nothing, and nobody may rely on one.
 */
export type Signals = {
  /** Never throws and never waits: listeners run after the caller's own synchronous code, in the order of the calls. */
  publish(topic: string, payload: string): void;
  /** Returns the function that ends the subscription at once. Any number of listeners may share a topic. */
  subscribe(topic: string, listener: (payload: string) => void): () => void;
  /** Ends every subscription; what is published afterwards goes nowhere. */
  close(): Promise<void>;
};

/** Signals within one process. What a listener throws goes to `onError`, never to the publisher or to other listeners. */
export function memorySignals(onError: (error: unknown) => void = warn): Signals {
  const topics = new Map<string, Set<(payload: string) => void>>();

  function deliver(listeners: ReadonlySet<(payload: string) => void>, payload: string): void {
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue; // an earlier listener ended this subscription
      try {
        listener(payload);
      } catch (error) {
        onError(error);
      }
    }
  }

  return {
    publish: (topic, payload) => {
      const listeners = topics.get(topic);
      if (listeners !== undefined) queueMicrotask(() => deliver(listeners, payload));
    },
    subscribe: (topic, listener) => {
      const listeners = topics.get(topic) ?? new Set();
      // Its own function, so that one listener given twice is two subscriptions.
      const subscription = (payload: string) => listener(payload);
      topics.set(topic, listeners.add(subscription));
      return () => {
        listeners.delete(subscription);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },
    close: async () => {
      for (const listeners of topics.values()) listeners.clear();
      topics.clear();
    },
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
