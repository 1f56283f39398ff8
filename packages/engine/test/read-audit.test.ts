import { listDirectory, queryAudit, setMandate, suspendAgent } from '@countersign/engine';
import { mintId } from '@countersign/store';
import type { TestHost } from '@countersign/testkit';
import { describe, expect, it } from 'vitest';
import { EAT, sharedHosts } from './shared-host.ts';

const host = sharedHosts();

const seenBy = async (on: TestHost, name: string, more: object = {}) => {
  const page = await queryAudit(on.deps, { caller: await on.caller(name) }, { limit: 200, order: 'oldest', ...more });
  if (!page.ok) throw new Error(page.error.message);
  return page.value.items;
};

describe('the log, read by an agent', () => {
  it('shows its own part and nothing of another agent or another principal', async () => {
    const on = await host({ rules: [EAT] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'count' });
    await on.call('treasurer', 'jar__cookie_jar', { action: 'count' });
    await on.held('treasurer', 'jar__cookie_jar', { action: 'eat' });
    const events = await seenBy(on, 'researcher');
    expect(new Set(events.map((event) => event.agent))).toEqual(new Set(['researcher']));
    expect(events.map((event) => event.type)).toEqual(expect.arrayContaining(['agent.created', 'call.admitted', 'call.completed']));
    expect(await seenBy(on, 'researcher', { agent: 'treasurer' })).toEqual([]);
    expect(await seenBy(on, 'researcher', { principal: 'ben' })).toEqual([]);
    expect(await seenBy(on, 'researcher', { type: ['mandate.changed', 'principal.created'] })).toEqual([]);
  });

  it('shows the runs above and below its own as far as they are its principal’s, and no others', async () => {
    const on = await host();
    for (const agent of ['researcher', 'newcomer', 'treasurer']) await on.call(agent, 'jar__cookie_jar', {});
    const { db } = on.deps.store;
    const runOf = async (agent: string) =>
      (await seenBy(on, agent === 'treasurer' ? 'ben' : 'ada', { agent })).find((event) => event.run)?.run ?? '';
    const parent = await runOf('researcher');
    const make = async (agent: string, principal: string, above: string) => {
      const run = mintId('run');
      await db.execute(
        `insert into run (id, agent, principal, parent, origin, status, created_at) values ('${run}', '${agent}', '${principal}', '${above}', '${run}', 'open', now())`,
      );
      await db.execute(
        `insert into audit_pending (id, type, at, actor_kind, actor_name, principal, agent, run, payload) values ('${mintId('evt')}', 'call.admitted', now(), 'agent', '${agent}', '${principal}', '${agent}', '${run}', '{}')`,
      );
      return run;
    };
    const child = await make('newcomer', 'ada', parent);
    const foreign = await make('treasurer', 'ben', child);
    const grandchild = await make('newcomer', 'ada', foreign);
    const runs = new Set((await seenBy(on, 'researcher')).flatMap((event) => event.run ?? []));
    expect([runs.has(parent), runs.has(child), runs.has(foreign), runs.has(grandchild)]).toEqual([true, true, false, true]);
    const below = new Set((await seenBy(on, 'treasurer')).map((event) => event.principal));
    expect(below).toEqual(new Set(['ben']));
  });
});

describe('the directory', () => {
  it('says who takes questions: members whose principal lets them', async () => {
    const on = await host();
    const take = async () => Object.fromEntries((await listDirectory(on.deps)).map((agent) => [agent.name, agent.takesQuestions]));
    expect(await take()).toEqual({ newcomer: false, researcher: true, treasurer: true });
    await setMandate(on.deps, await on.caller('ben'), { scopes: ['directory:read'], terms: [] }, 1);
    await suspendAgent(on.deps, { operator: true }, 'researcher');
    expect(await take()).toEqual({ newcomer: false, researcher: false, treasurer: false });
  });
});
