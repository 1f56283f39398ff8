import { type EmbeddedStore, openEmbeddedStore } from '@countersign/store';
import { aHost, type TestHost, type TestHostOptions } from '@countersign/testkit';
import { afterAll, beforeAll } from 'vitest';

/** One database for a file; every host made on it starts from empty tables. */
export function sharedHosts(): (options?: TestHostOptions) => Promise<TestHost> {
  let store: EmbeddedStore;
  beforeAll(async () => {
    store = await openEmbeddedStore('memory://');
  });
  afterAll(async () => {
    await store.store.close();
  });
  return (options = {}) => aHost({ ...options, on: store });
}

export const EAT = {
  id: 'eat',
  tool: 'jar__cookie_jar',
  when: 'the action is "eat"',
  match: 'args.action == "eat"',
  reason: 'Cookies cannot be un-eaten.',
};
export const SMASH = { id: 'smash', tool: 'jar__smash_jar', when: 'always', reason: 'There is no undo.' };
