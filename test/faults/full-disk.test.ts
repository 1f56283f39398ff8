/** A full disk, on a small file system of its own: calls are refused, nothing is lost, and it works again once there is space. */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { approve, readDecision } from '../e2e/answers.ts';
import { codeOf, connectAgent, heldAs, textOf } from '../e2e/mcp-clients.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn, stdioServer } from '../e2e/sample-config.ts';
import { mustBe, scratch, startHost } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import { contradictions, readRecord } from './record.ts';

const SIZE_MB = 160;
const disk = scratch('disk');
const isWanted = process.env.COUNTERSIGN_TEST_DISK === '1';
const mounted = isWanted && spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (mounted) spawnSync('umount', ['-l', disk]);
});
if (!mounted) console.warn('NOT RUN: the full-disk test mounts a small tmpfs. Run it as root on Linux with COUNTERSIGN_TEST_DISK=1.');

it.skipIf(!mounted)('refuses calls while the disk is full, loses nothing, and works again when there is space (G4)', async () => {
  const file = join(scratch('counted'), 'counted.jsonl');
  const host = await startHost({
    config: aConfig({ servers: { counter: counterServer(file), huge: stdioServer('misbehaving', {}, ['huge']) }, rules: [COUNTER_RULE] }),
    dataDir: join(disk, 'data'),
  });
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  const token = await host.principalToken('ada');
  const before = heldAs(await agent.call('counter__increment', { n: 'before' }));
  expect(textOf(await agent.call('counter__increment', { n: 'first', pass: true }))).toBe('incremented');

  const filler = join(disk, 'filler');
  fillUp(filler);
  // The log's file has room inside for a while: large calls use it up, and none of them is refused before that or runs after it.
  const ballast = 'x'.repeat(1_500_000);
  let allowed = 1;
  let refusals = 0;
  for (let n = 0; n < 60 && refusals < 5; n += 1) {
    const ran = executionsIn(file).length;
    const result = await agent.call('counter__increment', { n, pass: true, ballast: `${n}${ballast}` }, { timeout: 60_000 });
    if (codeOf(result) === undefined) {
      allowed += 1;
      continue;
    }
    // Not recorded before: it was not sent. Recorded before and not after: it is not reported as done.
    expect(['failed', 'outcome_unknown']).toContain(codeOf(result));
    if (codeOf(result) === 'failed') expect(executionsIn(file)).toHaveLength(ran);
    refusals += 1;
  }
  expect(refusals).toBe(5);
  const during = executionsIn(file).length;
  expect(codeOf(await agent.call('counter__increment', { n: 'held while full', ballast }, { timeout: 60_000 }))).toBe('failed');
  expect(executionsIn(file)).toHaveLength(during);

  // This one's intent still fits and its result does not: nobody is told a result that the record does not have.
  const large = await agent.call('huge__dump', { mb: 7 }, { timeout: 60_000 });
  expect(['outcome_unknown', 'failed']).toContain(codeOf(large));

  rmSync(filler);
  const again = await until(
    'it works again',
    async () => {
      const result = await agent.call('counter__increment', { n: 'again', pass: true }, { timeout: 60_000 });
      return codeOf(result) === undefined ? textOf(result) : null;
    },
    60_000,
  );
  expect(again).toBe('incremented');
  const ada = host.as(token);
  await approve(ada, before);
  await until('what was held before runs', async () => (await readDecision(ada, before)).call?.state === 'done');
  await until(
    'what had ended is recorded',
    async () => {
      const { items } = mustBe(await ada.audit.query({ limit: 200 }));
      const ended = items
        .filter(({ type }) => ['call.completed', 'call.failed', 'call.outcome_unknown'].includes(type))
        .map(({ call }) => call);
      return items.filter(({ type }) => type === 'call.admitted').every(({ call }) => ended.includes(call));
    },
    60_000,
  );
  await host.stop();

  const record = await readRecord(host.dataDir);
  const counted = { ...record, calls: record.calls.filter(({ tool }) => tool === 'counter__increment') };
  expect(contradictions(counted, executionsIn(file)).filter((problem) => !problem.includes('does not exist'))).toEqual([]);
  expect(record.calls.filter(({ state }) => state === 'running')).toEqual([]);
  expect(record.calls.filter(({ state }) => state === 'done').length).toBeGreaterThanOrEqual(allowed + 2);
  console.info(`full disk: ${allowed} allowed, ${refusals} refused, ${executionsIn(file).length} executions`);
});

/** Leaves a megabyte or so. */
function fillUp(path: string): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - 1024 * 1024)));
}
