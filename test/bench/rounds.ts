/** Timing for the benchmarks: percentiles over single calls, and many at once. Times are milliseconds. */

export type Times = { readonly p50: number; readonly p99: number; readonly perSecond: number };

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs `work` `count` times, `width` at a time. */
export async function timed(count: number, width: number, work: (index: number) => Promise<unknown>): Promise<Times> {
  const times: number[] = [];
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) {
        const index = next++;
        const start = performance.now();
        await work(index);
        times.push(performance.now() - start);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), perSecond: count / seconds };
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

/** Prints rows as an aligned table under a title. */
export function print(title: string, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log(`\n${title}`);
  for (const row of rows) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`);
}
