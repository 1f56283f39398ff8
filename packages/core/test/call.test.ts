import type { CallState } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, type CallCommand, type CallLife, isFinished, isLeaseOver } from '../src/call.ts';

const NOW = '2026-11-30T12:00:00.000Z';
const LEASE = { owner: 'w1', until: '2026-11-30T12:00:30.000Z' };
const lifeIn = (state: CallState): CallLife => ({
  state,
  version: 3,
  attempt: state === 'executing' ? 1 : 0,
  lease: state === 'executing' ? LEASE : null,
  mayHaveRun: false,
});

const commands: Record<string, CallCommand> = {
  approve: { type: 'approve' },
  refuse: { type: 'refuse', cause: 'refused_by_principal' },
  abandon: { type: 'abandon' },
  reopen: { type: 'reopen' },
  claim: { type: 'claim', owner: 'w1', until: LEASE.until },
  complete: { type: 'complete', owner: 'w1' },
  'complete inline': { type: 'complete', owner: null },
  fail: { type: 'fail', owner: 'w1', answered: true },
  'fail unsent': { type: 'fail', owner: 'w1', answered: false },
  'fail inline': { type: 'fail', owner: null, answered: true },
  lose: { type: 'lose' },
  'release unsent': { type: 'release', sent: false, idempotent: false },
  'release sent': { type: 'release', sent: true, idempotent: false },
  'release idempotent': { type: 'release', sent: true, idempotent: true },
  retry: { type: 'retry' },
  'settle done': { type: 'settle', as: 'done' },
};

/** Every state × command that leads somewhere; all others are turned down. */
const SHEET: Record<CallState, Record<string, CallState>> = {
  running: { 'complete inline': 'done', 'fail inline': 'failed', lose: 'unknown' },
  held: { approve: 'queued', refuse: 'refused', abandon: 'abandoned' },
  queued: { refuse: 'refused', reopen: 'held', claim: 'executing' },
  executing: {
    complete: 'done',
    fail: 'failed',
    'fail unsent': 'failed',
    lose: 'unknown',
    'release unsent': 'queued',
    'release idempotent': 'queued',
  },
  failed: { retry: 'queued' },
  unknown: { retry: 'queued', 'settle done': 'done' },
  done: {},
  refused: {},
  abandoned: {},
};

describe('the life of a call', () => {
  const cells = Object.entries(SHEET).flatMap(([state, row]) =>
    Object.keys(commands).map((command) => [state as CallState, command, row[command]] as const),
  );

  it.each(cells)('%s × %s → %s', (state, command, next) => {
    const advanced = advance(lifeIn(state), commands[command]!);
    if (next) expect(advanced).toMatchObject({ ok: true, value: { from: 3, next: { state: next, version: 4 } } });
    else expect(advanced).toMatchObject({ ok: false, error: { code: 'call.conflict', detail: { state } } });
  });

  it('ends only by the one that holds the lease (C3)', () => {
    expect(advance(lifeIn('executing'), { type: 'complete', owner: 'w2' }).ok).toBe(false);
    expect(advance(lifeIn('executing'), { type: 'fail', owner: null, answered: true }).ok).toBe(false);
  });

  it.each([
    ['queued', 'refuse'],
    ['held', 'refuse'],
    ['held', 'abandon'],
    ['executing', 'fail unsent'],
  ] as const)('never says of a call that may have run that it did not: %s × %s → unknown (C7)', (state, command) => {
    const advanced = advance({ ...lifeIn(state), mayHaveRun: true }, commands[command]!);
    expect(advanced).toMatchObject({ ok: true, value: { event: 'call.outcome_unknown', next: { state: 'unknown', mayHaveRun: true } } });
  });

  it('remembers from the first attempt that may have left, through every later one, that it may have run (C7)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(commands)), { maxLength: 60 }), (names) => {
        let life: CallLife = { ...lifeIn('queued'), version: 1 };
        let mayHaveRun = false;
        for (const name of names) {
          const command = commands[name]!;
          const advanced = advance(life, command);
          if (!advanced.ok) continue;
          life = advanced.value.next;
          mayHaveRun ||= command.type === 'lose' || (command.type === 'release' && command.sent);
          expect(life.mayHaveRun).toBe(mayHaveRun);
          if (mayHaveRun) expect(['refused', 'abandoned']).not.toContain(life.state);
        }
      }),
    );
  });

  it('counts an attempt for each claim and drops the lease when it leaves', () => {
    const claimed = advance(lifeIn('queued'), commands.claim!);
    expect(claimed).toMatchObject({ value: { next: { attempt: 1, lease: LEASE } } });
    expect(advance(lifeIn('executing'), commands.complete!)).toMatchObject({ value: { next: { lease: null } } });
  });

  it('knows when a lease is over', () => {
    expect(isLeaseOver(lifeIn('executing'), NOW)).toBe(false);
    expect(isLeaseOver(lifeIn('executing'), LEASE.until)).toBe(true);
    expect(isLeaseOver(lifeIn('queued'), LEASE.until)).toBe(false);
  });

  it('has no way from refused or abandoned to execution, and executes at most once without a person’s retry (C1, C4)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<CallState>('running', 'held'),
        fc.array(fc.constantFrom(...Object.keys(commands)), { maxLength: 40 }),
        (start, names) => {
          let life: CallLife = { ...lifeIn(start), version: 1 };
          let sent = 0;
          let mayHaveBeenSent = false;
          for (const name of names) {
            const command = commands[name]!;
            const before = life;
            const advanced = advance(life, command);
            if (!advanced.ok) continue;
            life = advanced.value.next;
            expect(['done', 'refused', 'abandoned']).not.toContain(before.state);
            if (life.state === 'executing') {
              expect(mayHaveBeenSent).toBe(false);
              sent += 1;
              mayHaveBeenSent = true;
            }
            // What certainly did not leave, what the host declared safe to repeat, and what a person ordered again may be sent again.
            if (command.type === 'release' || command.type === 'retry') mayHaveBeenSent = false;
          }
          if (start === 'running') expect(sent === 0 || names.includes('retry')).toBe(true);
          expect(isFinished(life.state) || ['running', 'held', 'queued', 'executing'].includes(life.state)).toBe(true);
        },
      ),
    );
  });
});
