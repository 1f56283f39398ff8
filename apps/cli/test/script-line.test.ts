import type { ScriptEvent, StepEnd } from '@countersign/agents';
import { visibleLine } from '@countersign/runtime';
import { expect, test } from 'vitest';
import { paintFor } from '../src/paint.ts';
import { scriptLine } from '../src/start/script-line.ts';
import { table, widthOf } from '../src/table.ts';

const step = { tool: 'jar__cookie_jar', arguments: { action: 'eat', amount: 3 }, about: 'eat 3' };
const line = (end: StepEnd, afterHold = false) => {
  const event: ScriptEvent = { kind: 'step', agent: 'researcher', step, end, afterHold };
  return scriptLine(event, paintFor(false), visibleLine).replace(/ {2,}/g, '  ');
};

test.each<[string, StepEnd]>([
  [
    'researcher  jar__cookie_jar eat 3  held, dec_1 waits for ada or ben',
    { kind: 'held', decision: 'dec_1', url: null, waitsFor: ['ada', 'ben'] },
  ],
  ['researcher  jar__cookie_jar eat 3  ran: Ate 3 cookies', { kind: 'done', text: 'Ate 3 cookies\nand more' }],
  [
    'researcher  jar__cookie_jar eat 3  refused by a rule: Gone for good.',
    { kind: 'refused', code: 'refused_by_rule', text: 'Not executed (refused_by_rule): the host refuses this call. Gone for good.' },
  ],
  ['researcher  jar__cookie_jar eat 3  outcome unknown: socket hang up', { kind: 'unknown', text: 'socket hang up' }],
])('says in one line: %s', (expected, end) => {
  expect(line(end)).toBe(expected);
});

test('shows hidden characters of an upstream and only a glance of a long answer (E2)', () => {
  expect(line({ kind: 'done', text: 'a\u001b[2Kb' })).toContain('a⟨U+001B⟩[2Kb');
  expect(line({ kind: 'failed', text: 'x'.repeat(500) })).toMatch(/failed: x{79}…$/);
});

test('aligns columns by what a terminal makes of them, and cuts nothing', () => {
  const rows = [
    { name: '日本', size: 5 },
    { name: 'e\u0301 long name', size: 12_345 },
  ];
  const columns = [
    { title: 'name', of: (row: (typeof rows)[number]) => row.name },
    { title: 'size', of: (row: (typeof rows)[number]) => String(row.size), align: 'right' as const },
  ];
  const lines = table(rows, columns, (title) => title).split('\n');
  expect(lines).toEqual(['name          size', '日本             5', 'e\u0301 long name  12345'].map((text) => text));
  expect(new Set(lines.map(widthOf)).size).toBe(1);
});
