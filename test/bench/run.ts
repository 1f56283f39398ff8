/** `npm run bench [name …]`: prints figures beside their floors. Never part of a test run. */
import { benchCalls } from './calls.bench.ts';
import { benchPermission } from './permission.bench.ts';

const benches: Record<string, () => Promise<unknown>> = {
  classify: () => import('./classify.bench.ts'),
  calls: benchCalls,
  permission: benchPermission,
};
const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(benches)) {
  const bench = benches[name];
  if (!bench) throw new Error(`There is no bench ${name}. There are: ${Object.keys(benches).join(', ')}`);
  console.log(`\n== ${name}`);
  await bench();
}
