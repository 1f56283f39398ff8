import { ErrorCode } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { EXIT_CODE, exitCodeOf } from '../src/exit-code.ts';
import { safeJson } from '../src/print.ts';
import { runCli } from './run-cli.ts';

test.each([
  ['an unknown command', ['frobnicate']],
  ['an unknown subcommand', ['decisions', 'frobnicate']],
  ['an unknown option', ['start', '--frobnicate']],
  ['a missing argument', ['freeze']],
  ['a number out of bounds', ['start', '--port', '65536']],
  ['a time that is none', ['audit', 'query', '--since', 'yesterday']],
])('is 2 for %s, with nothing on standard output', async (_, argv) => {
  const ran = await runCli(argv);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^error: /);
});

test('prints the help and the version on standard output', async () => {
  const help = await runCli(['--help']);
  expect(help.code).toBe(0);
  expect(help.stdout).toContain('Exit codes:');
  expect(help.stdout).toContain('COUNTERSIGN_TOKEN');
  expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('has an exit code for every error code, and refuses for those of a newer host', () => {
  for (const code of ErrorCode.options) expect([1, 2, 3, 4, 5, 70]).toContain(EXIT_CODE[code]);
  expect(exitCodeOf('decision.of_the_future')).toBe(1);
});

test('spells hidden characters of JSON as escapes and keeps the value', () => {
  const value = { 'a\u202e': 'x\u009b31m\u200b\u{e0041}\u2028', fine: 'ä 😀\n' };
  const json = safeJson(value, 2);
  expect(json).toContain('\\u202e');
  expect(json).toContain('😀');
  for (const character of ['\u202e', '\u009b', '\u200b', '\u{e0041}', '\u2028']) expect(json).not.toContain(character);
  expect(JSON.parse(json)).toEqual(value);
});
