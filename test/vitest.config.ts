import { defineConfig } from 'vitest/config';

/** Tests run from source through a condition of our own (some dependencies export `source` too): no build comes first. */
const conditions = ['countersign-source', 'node'];

/** These drive a real Chromium: `npm run test:browser`. */
const BROWSER = ['test/browser/**/*.test.ts'];

/** These start the built product in processes of its own. */
const PRODUCT = ['test/e2e/**/*.test.ts', 'test/faults/**/*.test.ts'];

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...PRODUCT, ...BROWSER],
        },
      },
      {
        extends: true,
        // After all others: a process under test shares its processors with no other suite.
        test: {
          name: 'product',
          include: PRODUCT,
          globalSetup: [new URL('e2e/build-once.ts', import.meta.url).pathname],
          testTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
      ...(process.env.COUNTERSIGN_TEST_BROWSER === '1'
        ? [{ extends: true as const, test: { name: 'browser', include: BROWSER, testTimeout: 180_000, sequence: { groupOrder: 2 } } }]
        : []),
    ],
  },
});
