/**
 * A decision as a person reads it in a terminal: all that its `shownDigest` covers. Nothing is cut, whatever its length, and whatever an
 * agent wrote is made visible and set apart by a margin, so that it can't pose as our words.
 */
import type { Decision } from '@countersign/contracts';
import { since, until } from './age.ts';
import type { Paint } from './paint.ts';
import type { Show } from './visible.ts';

export type DecisionView = { readonly paint: Paint; readonly show: Show; readonly now: Date };

/** Characters of one string value from which on a reader is told its length: the end of it may be far below. */
const LONG = 2000;

export function decisionText(decision: Decision, view: DecisionView): string {
  const { show, paint } = view;
  const sections = [
    headLines(decision, view),
    section(
      'Why',
      decision.grounds.flatMap((ground) => groundLines(ground, view)),
      paint,
    ),
    section('Who', chainLines(decision, view), paint),
    decision.call === null ? [] : section(`Call  ${show.line(decision.call.tool)}`, callLines(decision.call, view), paint),
    decision.request === null ? [] : section('Request', margin(pretty(decision.request, show)), paint),
    section('What the server saw', seenLines(decision.context.seen, view), paint),
    decision.context.claimed === null
      ? []
      : section('What the agent says (its claim, not checked)', margin(show.text(decision.context.claimed)), paint),
    section(
      'Evidence that the agent filed (not checked)',
      decision.evidence.flatMap((piece) => evidenceLines(piece, view)),
      paint,
    ),
    section(
      'Answers',
      decision.answers.flatMap((answer) => answerLines(answer, view)),
      paint,
    ),
    outcomeSection(decision, view),
    section(
      'Told',
      decision.relay.map((receipt) => relayLine(receipt, view)),
      paint,
    ),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** Just what would run: tool and arguments, whole. For the moment before an answer is given. */
export function whatWouldRun(tool: string, args: unknown, view: DecisionView): string {
  return [view.paint.bold(view.show.line(tool)), ...argumentLines(args, view)].join('\n');
}

function headLines(decision: Decision, { show, paint, now }: DecisionView): readonly string[] {
  const left = decision.state === 'pending' ? `  ${paint.amber(until(decision.expiresAt, now))}` : '';
  const related = [
    decision.supersedes && `takes the place of ${decision.supersedes}`,
    decision.supersededBy && `its place was taken by ${decision.supersededBy}`,
    decision.afterRefusalOf && `asked again after ${decision.afterRefusalOf} was refused`,
  ].filter((words) => typeof words === 'string');
  return [
    `${decision.id}  ${paint.bold(decision.state)}${left}`,
    paint.bold(show.line(decision.title)),
    ...(decision.irreversible ? [paint.red('Cannot be undone. Approving it wants a note.')] : []),
    `asked ${since(decision.createdAt, now)} ago (${decision.createdAt}), open until ${decision.expiresAt}`,
    `answered by ${decision.answerBy.map(show.line).join(' or ')}${decision.needs > 1 ? `; needs ${decision.needs} of them` : ''}`,
    ...related,
    ...(decision.settledReason === null ? [] : [show.line(decision.settledReason)]),
  ];
}

function groundLines(ground: Decision['grounds'][number], { show, paint }: DecisionView): readonly string[] {
  const name = ground.rule === undefined ? ground.kind : `${ground.kind} ${ground.rule}`;
  return [
    `${paint.bold(show.line(name))} ${ground.effect}${ground.mode === 'shadow' ? ' (shadow: recorded, holds nothing)' : ''}: ${show.line(ground.reason)}`,
    ...(ground.when === undefined ? [] : [`  when ${show.line(ground.when)}`]),
    ...(ground.unevaluable === undefined ? [] : [`  could not be evaluated: ${show.line(ground.unevaluable)}`]),
  ];
}

function chainLines({ chain, principal, agent }: Decision, { show }: DecisionView): readonly string[] {
  const line = [principal, ...(chain.length > 0 ? chain.map((hop) => hop.agent) : [agent])].map(show.line).join(' › ');
  const questions = chain.flatMap((hop) =>
    hop.question === null
      ? []
      : [`${show.line(hop.agent)} (for ${show.line(hop.principal)}) was asked:`, ...margin(show.text(hop.question))],
  );
  return [line, ...questions];
}

function callLines(call: NonNullable<Decision['call']>, view: DecisionView): readonly string[] {
  const edited = call.effectiveArguments;
  return [
    `${call.id}  ${call.state}`,
    ...argumentLines(call.arguments, view),
    `digest ${call.digest}`,
    ...(edited === null ? [] : ['', 'edited by the principal; this is what runs:', ...argumentLines(edited, view)]),
  ];
}

function argumentLines(args: unknown, { show, paint }: DecisionView): readonly string[] {
  const long = longValues(args, '').map(({ path, length }) => paint.amber(`long value: ${show.line(path)}, ${length} characters`));
  return [...long, ...margin(pretty(args, show))];
}

function seenLines(seen: Decision['context']['seen'], { show }: DecisionView): readonly string[] {
  return Object.keys(seen).length === 0 ? [] : margin(pretty(seen, show));
}

function evidenceLines({ id, claim, source, reference, at }: Decision['evidence'][number], { show, now }: DecisionView): readonly string[] {
  const where = reference === null ? source : `${source} ${show.line(reference)}`;
  return [`${id}, ${where}, ${since(at, now)} ago`, ...margin(show.text(claim))];
}

const relayLine = ({ agent, toldAt }: Decision['relay'][number], { show, now }: DecisionView): string =>
  `${show.line(agent)} ${toldAt === null ? 'does not know yet' : `was told ${since(toldAt, now)} ago`}`;

function answerLines(answer: Decision['answers'][number], { show, paint, now }: DecisionView): readonly string[] {
  return [
    `${paint.bold(show.line(answer.principal))} ${answer.effect === 'approve' ? 'approved' : 'refused'} ${since(answer.at, now)} ago (${answer.at})`,
    ...(answer.note === null ? [] : margin(show.text(answer.note))),
    ...(answer.editedArgs === null ? [] : ['with these arguments:', ...margin(pretty(answer.editedArgs, show))]),
  ];
}

function outcomeSection({ outcome }: Decision, { show, paint }: DecisionView): readonly string[] {
  if (outcome === null) return [];
  return section(
    `Outcome  ${OUTCOME_WORDS[outcome.state]} (${outcome.at})`,
    [
      ...(outcome.reason === null ? [] : [show.line(outcome.reason)]),
      ...(outcome.result === null ? [] : margin(pretty(outcome.result, show))),
    ],
    paint,
    true,
  );
}

const OUTCOME_WORDS: Readonly<Record<NonNullable<Decision['outcome']>['state'], string>> = {
  done: 'done',
  failed: 'failed',
  unknown: 'unknown: it was sent, and nobody knows whether it took effect',
  not_run: 'not run',
};

function section(title: string, lines: readonly string[], paint: Paint, evenEmpty = false): readonly string[] {
  return lines.length === 0 && !evenEmpty ? [] : [paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

/** JSON escapes controls by itself; `show` does the rest. */
const pretty = (value: unknown, show: Show): string => show.text(JSON.stringify(value, null, 2) ?? String(value));

const margin = (text: string): readonly string[] => text.split('\n').map((line) => `│ ${line}`);

function longValues(value: unknown, path: string): readonly { readonly path: string; readonly length: number }[] {
  if (typeof value === 'string') return value.length > LONG ? [{ path: path === '' ? 'the whole' : path, length: value.length }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => longValues(child, path === '' ? key : `${path}.${key}`));
}
