import type { Finding, Lane } from '@countersign/contracts';
import type { EraView, ServedEra } from './era.ts';
import { holds } from './missing.ts';
import type { Probe } from './probe.ts';
import { finding, type MissingTool } from './report.ts';
import { said } from './wire.ts';

const REPORT_IT = "It is a fault of the host: report it, with the host's log of this minute.";

/** Whether what is listed can be called, and what is not listed answers as if it were not there (D5). */
export function probeFindings({ era, probes }: ServedEra): readonly Finding[] {
  const those = (isListed: boolean, ...answers: readonly Probe['answer'][]): string =>
    probes
      .filter((probe) => probe.isListed === isListed && answers.includes(probe.answer))
      .map(({ name }) => name)
      .join(', ');
  const dead = those(true, 'absent', 'failed');
  const seen = those(false, 'result', 'failed');
  const untried = those(true, 'not tried');
  const findings: Finding[] = [];
  if (dead) findings.push(finding('tool.not_callable', 'error', `Listed in revision ${era}, and a call of it fails: ${dead}.`, REPORT_IT));
  if (seen) {
    const message = `Hidden in revision ${era}, and yet answered otherwise than a tool that does not exist: ${seen}.`;
    findings.push(finding('tool.not_hidden', 'error', message, REPORT_IT));
  }
  if (untried) {
    const message = `Not tried in revision ${era}, since a call might do something: ${untried}.`;
    findings.push(finding('tool.not_probed', 'note', message, 'Nothing to do: the host runs another version than this doctor.'));
  }
  return findings;
}

/** Tools whose scope the caller has, and which are not there all the same. */
export function unofferedFindings(lane: Lane, view: ServedEra, missing: readonly MissingTool[]): readonly Finding[] {
  const names = missing.filter(({ scope }) => holds(lane, view, scope)).map(({ name }) => name);
  if (names.length === 0) return [];
  const message = `You have the scopes for ${names.join(', ')}, and the host does not offer them.`;
  return [finding('tool.not_listed', 'warning', message, 'Compare the versions of the host and of this doctor.')];
}

/** Eras that are not served, and those that show different things. */
export function eraFindings(views: readonly EraView[]): readonly Finding[] {
  const failed = views.flatMap((view) => {
    if (view.isServed) return [];
    const fix = "Look into the host's log; a proxy that changes headers or bodies does this too.";
    return [finding('era.failed', 'error', `Clients of revision ${view.era} can't work here: ${view.failure}`, fix)];
  });
  const [one, other] = views;
  if (!one?.isServed || !other?.isServed) return failed;
  const differences = [
    ...(one.lane === other.lane ? [] : [`the lanes are ${one.lane} and ${other.lane}`]),
    ...onlyIn(one, other),
    ...onlyIn(other, one),
  ];
  if (differences.length === 0) return failed;
  const message = `Revisions ${one.era} and ${other.era} show different things to the same caller: ${differences.join('; ')}.`;
  const fix = `Ask without a proxy that keeps lists, if there is one. If it stays so: ${REPORT_IT}`;
  return [...failed, finding('eras.disagree', 'error', message, fix)];
}

/** Enough to know where to look. */
const NAMED = 10;

function onlyIn(one: ServedEra, other: ServedEra): readonly string[] {
  const others = new Set([...other.own, ...other.upstream]);
  const only = [...one.own, ...one.upstream].filter((name) => !others.has(name)).map((name) => said(name, 64));
  const more = only.length > NAMED ? ` and ${only.length - NAMED} more` : '';
  return only.length === 0 ? [] : [`only ${one.era} lists ${only.slice(0, NAMED).join(', ')}${more}`];
}
