import type { Finding } from '@countersign/contracts';
import type { DoctorReport } from '@countersign/runtime';
import { type AddCommand, type JsonOption, withJson } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { insideSecret } from '../inside-secret.ts';
import type { Io } from '../io.ts';
import { type Paint, paintFor } from '../paint.ts';
import { noteLine, printAnswer, printFailure } from '../print.ts';
import { findHost } from '../remote.ts';
import { type Column, table } from '../table.ts';
import { show } from '../visible.ts';

/** Other than those of the other commands: a script that watches an endpoint asks for nothing but these three. */
const DOCTOR_EXIT = { healthy: EXIT.ok, findings: EXIT.refused, unreachable: EXIT.invalid } as const;

type Flags = JsonOption & { readonly token?: string; readonly data?: string };

/** `doctor [URL]`: what an endpoint serves to whoever holds a token, and why. */
export const addDoctor: AddCommand = (program, { io, action }) => {
  withJson(program.command('doctor'))
    .description('ask an MCP endpoint from outside, in both protocol eras, what it serves and why: lane, tools, and what is wrong')
    .argument('[url]', 'the endpoint, such as http://127.0.0.1:7420/mcp (default: that of COUNTERSIGN_URL, else of the host on --data)')
    .option('--token <token>', 'look with this credential (default: COUNTERSIGN_TOKEN; without one, the anonymous lane)')
    .option(
      '--data <dir>',
      "the data directory of a host on this machine: with its operator's secret, the host tells more (default: .countersign)",
    )
    .addHelpText(
      'after',
      `
Nothing is changed and no upstream tool is called; tries of hidden names stand in the host's record.
Exit codes: 0 healthy (notes do not count), 1 something was found, 2 not reachable.`,
    )
    .action(action((url: string | undefined, flags: Flags) => doctor(io, url, flags)));
};

async function doctor(io: Io, given: string | undefined, { token: shown, json = false, ...flags }: Flags): Promise<ExitCode> {
  const place = given === undefined ? findHost(io, flags) : ({ ok: true, value: { url: given } } as const);
  if (!place.ok) {
    printFailure(io, place.error, json);
    return DOCTOR_EXIT.unreachable;
  }
  const token = shown ?? io.env.COUNTERSIGN_TOKEN;
  if (shown === undefined && token !== undefined && !json) noteLine(io, 'Looking with the token in COUNTERSIGN_TOKEN.');
  const [{ examine }, { createClient }] = await Promise.all([import('@countersign/runtime'), import('@countersign/client')]);
  const url = place.value.url;
  const secret = insideSecret(io, url, { token, ...flags });
  const askHost = secret === null ? undefined : (origin: string) => createClient({ url: origin, token: secret }).host.findings();
  const report = await examine(url, { token, askHost });
  printAnswer(io, { json, value: report, text: () => reportText(report, paintFor(io.color.stdout)) });
  if (!report.isReached) return DOCTOR_EXIT.unreachable;
  return report.findings.some(({ severity }) => severity !== 'note') ? DOCTOR_EXIT.findings : DOCTOR_EXIT.healthy;
}

function reportText(report: DoctorReport, paint: Paint): string {
  const { url, lane, why, agent, principal, expiresAt, eras, tools, findings } = report;
  const who = agent !== null ? `${agent} acts for ${principal}` : principal;
  const until = expiresAt === null ? '' : `; the credential is good until ${expiresAt}`;
  return [
    paint.bold(show.line(url)),
    ...(lane === null ? [] : [`lane ${paint.bold(lane)}: ${show.line(why ?? 'the host does not say why')}`]),
    ...(who === null ? [] : [show.line(`${who}${until}`)]),
    ...(eras.length === 0 ? [] : ['', table(eras, ERA_COLUMNS, paint.dim)]),
    ...(tools.missing.length === 0 ? [] : ['', table(tools.missing, MISSING_COLUMNS, paint.dim)]),
    ...(findings.length === 0 ? [] : ['', ...findings.flatMap((one) => findingLines(one, paint))]),
    '',
    paint.bold(summary(report)),
  ].join('\n');
}

const ERA_COLUMNS: readonly Column<DoctorReport['eras'][number]>[] = [
  { title: 'revision', of: ({ era }) => era },
  { title: 'hello', of: ({ handshake }) => handshake },
  { title: 'lane', of: ({ isServed, lane }) => (isServed ? (lane ?? 'unknown') : 'not served') },
  { title: 'own tools', of: ({ tools }) => String(tools.listed), align: 'right' },
  { title: 'callable', of: ({ tools }) => String(tools.callable), align: 'right' },
  { title: 'upstream tools', of: ({ tools }) => String(tools.upstream), align: 'right' },
];

const MISSING_COLUMNS: readonly Column<DoctorReport['tools']['missing'][number]>[] = [
  { title: 'missing', of: ({ name }) => name },
  { title: 'scope', of: ({ scope }) => scope },
  { title: 'because', of: ({ because }) => because },
];

function findingLines({ code, severity, message, fix }: Finding, paint: Paint): readonly string[] {
  const style = { error: paint.red, warning: paint.amber, note: paint.dim }[severity];
  return [`${style(severity.padEnd(7))}  ${show.line(message)} ${paint.dim(`(${code})`)}`, `         Fix: ${show.line(fix)}`];
}

function summary({ isReached, findings }: DoctorReport): string {
  if (!isReached) return 'Not reachable.';
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const number = findings.filter((one) => one.severity === severity).length;
    return number === 0 ? [] : [`${number} ${severity}${number === 1 ? '' : 's'}`];
  });
  if (counts.length === 0) return 'Healthy.';
  return `${findings.every(({ severity }) => severity === 'note') ? 'Healthy' : 'Found'}: ${counts.join(', ')}.`;
}
