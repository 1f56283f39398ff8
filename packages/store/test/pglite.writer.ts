/** A process of pglite.test.ts: opens the data directory in its argument, says so, and writes row after row, reporting each. */
import { openPglite } from '../src/pglite.ts';

const pg = await openPglite(process.argv[2] ?? '');
process.send?.('open');
await pg.exec('create table if not exists row (n int primary key, filler text)');
for (let n = 0; ; n++) {
  await pg.transaction((tx) => tx.query('insert into row values ($1, $2)', [n, 'x'.repeat(900)]));
  process.send?.(n);
}
