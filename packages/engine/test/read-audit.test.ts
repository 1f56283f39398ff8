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

describe('the log, read by a principal who is asked about another’s agent', () => {
  const ASKS_BEN = { ...EAT, answer_by: ['ben'] };
  const eat = async (on: TestHost, agent: string) => {
    const held = await on.call(agent, 'jar__cookie_jar', { action: 'eat' });
    if (held.kind !== 'held') throw new Error(`Not held: ${held.kind}`);
    return { call: held.call, id: held.decisions[0]!.id };
  };
  const typesSeenBy = async (on: TestHost, name: string, more: object = {}) => (await seenBy(on, name, more)).map((event) => event.type);

  it('shows what became of that decision and its call', async () => {
    const on = await host({ rules: [ASKS_BEN] });
    const { id, call } = await eat(on, 'researcher');
    await on.answer('ben', id, { note: 'Only this once.' });
    await on.work();
    const life = ['call.held', 'decision.raised', 'decision.approved', 'call.queued', 'call.claimed', 'call.completed'];
    expect(await typesSeenBy(on, 'ben', { decision: id })).toEqual(['decision.raised', 'decision.approved']);
    expect(await typesSeenBy(on, 'ben', { call })).toEqual(life);
    expect(await typesSeenBy(on, 'ben')).toEqual(expect.arrayContaining(life));
    expect(await typesSeenBy(on, 'ada', { call })).toEqual(life.filter((type) => type.startsWith('call.')));
  });

  it('shows nothing else of that agent, and nothing to principals who are not asked', async () => {
    const on = await host({ rules: [ASKS_BEN] });
    await on.call('researcher', 'jar__cookie_jar', { action: 'count' });
    const { id, call } = await eat(on, 'researcher');
    const calls = new Set((await seenBy(on, 'ben', { agent: 'researcher' })).map((event) => event.call));
    expect([...calls]).toEqual([call]);
    const own = await eat(on, 'treasurer');
    expect(await seenBy(on, 'ada', { decision: own.id })).toEqual([]);
    expect(await seenBy(on, 'ada', { agent: 'treasurer' })).toEqual([]);
    expect((await seenBy(on, 'ben', { decision: id })).length).toBeGreaterThan(0);
  });

  it('leaves agents with their own, those of the principal who is asked included', async () => {
    const on = await host({ rules: [ASKS_BEN] });
    const { id, call } = await eat(on, 'researcher');
    expect(await seenBy(on, 'treasurer', { decision: id })).toEqual([]);
    expect(await seenBy(on, 'newcomer', { decision: id })).toEqual([]);
    expect(await typesSeenBy(on, 'researcher', { call })).toContain('call.held');
  });
});
