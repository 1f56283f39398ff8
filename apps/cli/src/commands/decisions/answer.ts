import type { AnswerInput, Decision } from '@countersign/contracts';
import { isYes } from '../../ask.ts';
import { type AddCommand, type Cli, withJson } from '../../cli.ts';
import { type DecisionView, decisionText, whatWouldRun } from '../../decision-text.ts';
import type { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { invalid, readJsonInput } from '../../json-input.ts';
import { paintFor } from '../../paint.ts';
import { type AnyFailure, noteLine, printAnswer } from '../../print.ts';
import { withAs, withRemote } from '../../remote.ts';
import { andThen, type RemoteCommand, runRemote } from '../../run-remote.ts';
import { show } from '../../visible.ts';

type Effect = AnswerInput['effect'];
type AnswerFlags = RemoteCommand & { readonly note?: string; readonly edit?: string; readonly yes?: boolean };
type Opened<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: AnyFailure };

const DESCRIPTION: Readonly<Record<Effect, string>> = {
  approve: 'approve: show exactly what will run, ask (at a terminal), and answer',
  refuse: 'refuse: the call never runs, and the agent is told',
};

const NOTE: Readonly<Record<Effect, string>> = {
  approve: 'a note for the record; the agent does not see it',
  refuse: 'why not; the agent reads it',
};

/** `approve ID` and `refuse ID`. Both send the version and digest of what was shown, so that nothing else can be answered by mistake. */
export const addAnswer: AddCommand = (decisions, cli) => {
  for (const effect of ['approve', 'refuse'] as const) addEffect(decisions, cli, effect);
};

function addEffect(decisions: Parameters<AddCommand>[0], { io, action }: Cli, effect: Effect): void {
  const command = withAs(withRemote(withJson(decisions.command(effect))))
    .description(DESCRIPTION[effect])
    .argument('<id>', 'dec_…')
    .option('--note <text>', NOTE[effect])
    .option('--yes', 'do not show it and do not ask');
  if (effect === 'approve') command.option('--edit <arguments>', 'approve with these arguments: JSON, a file, or - for standard input');
  command.action(action((id: string, flags: AnswerFlags) => answer(io, effect, id, flags)));
}

const answer = (io: Io, effect: Effect, id: string, flags: AnswerFlags): Promise<ExitCode> =>
  runRemote(io, flags, 'principal', async ({ client }) => {
    const edited = flags.edit === undefined ? null : await readEdit(io, flags.edit);
    if (edited !== null && !edited.ok) return edited;
    const found = await client.decisions.get(id);
    if (!found.ok) return found;
    // One that is answered already is not asked about: the server says who was first.
    const isWanted = found.value.state !== 'pending' || (await confirm(io, effect, found.value, { flags, edited: edited?.value ?? null }));
    if (!isWanted) return { ok: false, error: { code: 'conflict', message: 'Nothing was answered.' } };
    const input: AnswerInput = {
      version: found.value.version,
      shownDigest: found.value.shownDigest,
      effect,
      ...(flags.note !== undefined && { note: flags.note }),
      ...(edited !== null && { editedArgs: edited.value }),
    };
    return andThen(client.decisions.answer(id, input), (answered) => {
      printAnswer(io, { json: flags.json ?? false, value: answered, text: () => answeredText(answered) });
    });
  });

async function readEdit(io: Io, given: string): Promise<Opened<Record<string, unknown>>> {
  const read = await readJsonInput(io, given);
  if (!read.ok) return read;
  const { value } = read;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ok: true, value: value as Record<string, unknown> } : invalid('Edited arguments are a JSON object.');
}

/** Shows what is answered, and asks where a person sits at the terminal. */
async function confirm(
  io: Io,
  effect: Effect,
  decision: Decision,
  { flags, edited }: { readonly flags: AnswerFlags; readonly edited: Record<string, unknown> | null },
): Promise<boolean> {
  if (flags.yes || flags.json) return true;
  const view: DecisionView = { paint: paintFor(io.color.stderr), show, now: io.now() };
  noteLine(io, decisionText(decision, view));
  if (edited !== null && decision.call !== null) {
    noteLine(io, `\n${view.paint.bold('With your edit, this is what would run:')}\n${whatWouldRun(decision.call.tool, edited, view)}`);
  }
  if (!io.isInteractive) return true;
  return isYes(io, `\n${effect === 'approve' ? 'Approve this' : 'Refuse this'}?`);
}

const answeredText = ({ id, state, answers, needs, call }: Decision): string => {
  if (state === 'pending') return `${id}: your approval is recorded, ${answers.length} of ${needs}.`;
  return `${id}: ${state}.${call === null ? '' : ` The call is ${call.state}.`}`;
};
