import { revokeCredential, suspendAgent } from '@countersign/engine';
import { describe, expect, it } from 'vitest';
import { agentWith, consults, eventsOf, fourPrincipals } from './chain-words.ts';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();

async function setUp() {
  const on = await host(fourPrincipals());
  return { on, ...consults(on) };
}

describe('a run token', () => {
  it('is nothing to another agent, to another credential of the same agent, to a principal, or once the question is answered', async () => {
    const { on, ask, next, enter, answer } = await setUp();
    await ask('editor', 'treasurer', 'How much?');
    const mine = await agentWith(on, 'treasurer');
    const question = await next(mine.caller);
    const token = question?.runToken ?? '';
    expect(await enter(mine.caller, token)).toMatchObject({ ok: true });
    const strangers = [(await agentWith(on, 'treasurer')).caller, (await agentWith(on, 'clerk')).caller, 'treasurer', 'editor', 'ben'];
    const unknown = await enter('clerk', 'csr_guessed');
    for (const stranger of strangers) expect(await enter(stranger, token)).toEqual(unknown);
    expect(unknown).toMatchObject({ error: { code: 'run.invalid' } });
    await answer(mine.caller, question?.consult ?? '', 'Forty.');
    expect(await enter(mine.caller, token)).toMatchObject({ error: { code: 'run.closed' } });
    expect((await eventsOf(on, 'run.rejected')).map(({ payload }) => payload.code)).toEqual([
      ...Array(6).fill('run.invalid'),
      'run.closed',
    ]);
  });

  it('answers only the question it was given for', async () => {
    const { ask, take, answer } = await setUp();
    await ask('editor', 'treasurer', 'one');
    await ask('editor', 'treasurer', 'two');
    const first = await take('treasurer');
    const second = await take('treasurer');
    expect(await answer(first.caller, second.question.consult, 'x')).toMatchObject({ error: { code: 'consult.not_claimed' } });
    expect(await answer(first.caller, first.question.consult, 'x')).toMatchObject({ ok: true });
  });

  it('ends with the credential that asked, and with a suspension above', async () => {
    const { on, ask, take, enter } = await setUp();
    const editor = await agentWith(on, 'editor');
    await ask(editor.caller, 'treasurer', 'one');
    const one = await take('treasurer');
    await revokeCredential(on.deps, { operator: true }, editor.id);
    expect(await enter('treasurer', one.question.runToken)).toMatchObject({ error: { code: 'run.closed' } });

    await ask('researcher', 'treasurer', 'two');
    const two = await take('treasurer');
    await suspendAgent(on.deps, { operator: true }, 'researcher');
    expect(await enter('treasurer', two.question.runToken)).toMatchObject({ error: { code: 'run.closed' } });
  });
});
