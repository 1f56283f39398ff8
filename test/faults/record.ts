/** What a data directory says happened, and whether it can be true. */
import type { AuditEvent } from '@countersign/contracts';
import type { Execution } from '../e2e/sample-config.ts';
import { type Row, withDatabase } from '../e2e/stored-record.ts';

export type StoredRecord = {
  readonly calls: readonly Row[];
  readonly decisions: readonly Row[];
  readonly answers: readonly Row[];
  readonly events: readonly AuditEvent[];
};

/** Reads the whole record of a host that has ended. */
export const readRecord = (dataDir: string): Promise<StoredRecord> =>
  withDatabase(dataDir, async ({ rows, events }) => ({
    calls: await rows('select * from call order by id'),
    decisions: await rows('select * from decision order by id'),
    answers: await rows('select * from answer order by id'),
    events: await events(),
  }));

/** The state in which an event leaves a call. */
const CALL_STATE: Readonly<Record<string, string>> = {
  'call.admitted': 'running',
  'call.held': 'held',
  'call.queued': 'queued',
  'call.claimed': 'executing',
  'call.completed': 'done',
  'call.failed': 'failed',
  'call.outcome_unknown': 'unknown',
  'call.refused': 'refused',
  'call.voided': 'held',
  'call.abandoned': 'abandoned',
};
const DECISION_STATE: Readonly<Record<string, string>> = {
  'decision.raised': 'pending',
  'decision.approval_recorded': 'pending',
  'decision.extended': 'pending',
  'decision.approved': 'approved',
  'decision.refused': 'refused',
  'decision.expired': 'expired',
  'decision.withdrawn': 'withdrawn',
};
const ANSWER_EVENTS = ['decision.approval_recorded', 'decision.approved', 'decision.refused'];
/** What must be in the log before a call leaves. */
const INTENTS = ['call.admitted', 'call.claimed'];

/**
 * Everything in a record that can't be true: a state without its event or an event without its state, gaps, answers that the log does not
 * have, and, against what an upstream really ran, calls that ran unrecorded, twice for one intent, or not although they are done.
 */
export function contradictions(record: StoredRecord, executions: readonly Execution[]): readonly string[] {
  return [...inOrder(record.events), ...statesAndEvents(record), ...answersAndEvents(record), ...executionsAndIntents(record, executions)];
}

function inOrder(events: readonly AuditEvent[]): readonly string[] {
  const cursors = events.map(({ cursor }) => Number(cursor));
  const ids = new Set(events.map(({ id }) => id));
  return [
    ...(cursors.every((cursor, i) => i === 0 || cursor > (cursors[i - 1] ?? 0)) ? [] : ['The log does not rise.']),
    ...(ids.size === events.length ? [] : ['Two events have one id.']),
  ];
}

function statesAndEvents({ calls, decisions, events }: StoredRecord): readonly string[] {
  const problems: string[] = [];
  const compare = (rows: readonly Row[], kind: 'call' | 'decision', states: Readonly<Record<string, string>>) => {
    for (const { id, state, version } of rows) {
      const own = events.filter((event) => event[kind] === id && event.type in states);
      const last = states[own.at(-1)?.type ?? ''];
      if (own.length !== version)
        problems.push(`${id} is at version ${version} and has ${own.length} events: ${own.map(({ type }) => type).join(', ')}`);
      if (last !== state) problems.push(`${id} is ${state}, and its last event leaves it ${last}`);
    }
    const known = new Set(rows.map(({ id }) => id));
    for (const event of events) {
      const id = event[kind];
      if (event.type in states && (id === null || !known.has(id))) problems.push(`${event.type} is about ${id}, which does not exist`);
    }
  };
  compare(calls, 'call', CALL_STATE);
  compare(decisions, 'decision', DECISION_STATE);
  return problems;
}

function answersAndEvents({ answers, events }: StoredRecord): readonly string[] {
  const recorded = events.filter(({ type }) => ANSWER_EVENTS.includes(type)).length;
  return recorded === answers.length ? [] : [`There are ${answers.length} answers and ${recorded} events of answers.`];
}

function executionsAndIntents({ calls, events }: StoredRecord, executions: readonly Execution[]): readonly string[] {
  const problems: string[] = [];
  const known = new Set(calls.map(({ id }) => id));
  const ranBy = (id: unknown): number => executions.filter(({ meta }) => meta['io.countersign/idempotency-key'] === id).length;
  for (const { args, meta } of executions) {
    const key = meta['io.countersign/idempotency-key'];
    if (!known.has(key)) problems.push(`${JSON.stringify(args)} ran under ${String(key)}, which no row knows`);
  }
  for (const { id, state } of calls) {
    const ran = ranBy(id);
    const intents = events.filter((event) => event.call === id && INTENTS.includes(event.type)).length;
    if (ran > intents) problems.push(`${id} ran ${ran} times on ${intents} intents`);
    if (state === 'done' && ran === 0) problems.push(`${id} is done and never ran`);
    if (['held', 'refused', 'abandoned'].includes(String(state)) && ran > 0) problems.push(`${id} is ${state} and ran`);
  }
  return problems;
}
