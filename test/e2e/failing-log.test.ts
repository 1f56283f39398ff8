/** A log that can't be written, for one agent and for a while: what is not recorded does not happen, and nobody else suffers (G4). */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { approve } from './answers.ts';
import { codeOf, connectAgent, heldAs, textOf } from './mcp-clients.ts';
import { aConfig, COUNTER_RULE, counterServer, executionsIn } from './sample-config.ts';
import { mustBe, type StartedHost, scratch, startHost } from './started-host.ts';
import { withDatabase } from './stored-record.ts';

/** Refuses every event about the treasurer's calls until ben changes his mandate. */
const BREAK = `
  create function refuse_event() returns trigger language plpgsql as $$
  begin
    if new.agent = 'treasurer' and new.type like 'call.%' and (select max(version) from mandate where principal = 'ben') = 1 then
      raise exception 'the log is broken';
    end if;
    return new;
  end $$;
  create trigger refuse_event before insert on audit_pending for each row execute function refuse_event();`;

const counted = join(scratch('log'), 'counted.jsonl');
const executions = (test: string) => executionsIn(counted).filter(({ args }) => args.test === test);
let host: StartedHost;
beforeAll(async () => {
  host = await startHost({ config: aConfig({ servers: { counter: counterServer(counted) }, rules: [COUNTER_RULE] }) });
  await host.stop();
  await withDatabase(host.dataDir, async ({ rows }) => {
    for (const statement of BREAK.split(/;\s*(?=create trigger)/)) await rows(statement);
  });
  await host.start();
});

it('refuses calls whose event can’t be written, runs none of them, and serves everybody else and everything after (G4)', async () => {
  const broken = await connectAgent(host.mcp(), await host.agentToken('treasurer'), '2025-11-25');
  const fine = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  for (const args of [{ pass: true }, {}]) {
    const result = await broken.call('counter__increment', { test: 'broken', ...args });
    expect([codeOf(result), textOf(result)]).toEqual(['failed', expect.stringContaining('Not executed')]);
  }
  expect(executions('broken')).toEqual([]);
  expect(textOf(await fine.call('counter__increment', { test: 'fine', pass: true }))).toBe('incremented');

  // At once: whoever shares a write with the broken one is refused with it, and never run unrecorded.
  const ends = await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const agent = n % 3 === 0 ? broken : fine;
      const result = await agent.call('counter__increment', { test: n % 3 === 0 ? 'broken' : 'mixed', n, pass: true });
      return { n, ran: codeOf(result) === undefined };
    }),
  );
  expect(executions('broken')).toEqual([]);
  const ran = ends.filter((end) => end.ran).map(({ n }) => n);
  expect(
    executions('mixed')
      .map(({ args }) => args.n)
      .sort(),
  ).toEqual(ran.sort());

  const ada = await host.principal('ada');
  const id = heldAs(await fine.call('counter__increment', { test: 'after' }));
  await approve(ada, id);
  expect(textOf(await fine.call('await_decision', { id, wait_seconds: 30 }))).toBe('incremented');

  const ben = await host.principal('ben');
  const { version, scopes, terms } = mustBe(await ben.mandate.get());
  mustBe(await ben.mandate.set({ scopes, terms: [...terms, { tool: 'counter__*', when: 'counting' }] }, version));
  expect(textOf(await broken.call('counter__increment', { test: 'mended', pass: true }))).toBe('incremented');
});
