import type { Mandate, MandateTerms } from '@countersign/contracts';
import { type AddCommand, withJson } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { invalid, textOf } from '../json-input.ts';
import { paintFor } from '../paint.ts';
import { type AnyFailure, noteLine, printAnswer } from '../print.ts';
import { withAs, withRemote } from '../remote.ts';
import { andThen, DONE, type RemoteCommand, runRemote } from '../run-remote.ts';
import { show } from '../visible.ts';

/** `mandate [show | set | diff]`: a principal's own terms. */
export const addMandate: AddCommand = (program, { io, action }) => {
  const mandate = program.command('mandate').description('your terms: what agents may do for you without asking');
  withAs(withRemote(withJson(mandate.command('show', { isDefault: true }))))
    .description('the terms in force, as YAML (the default)')
    .action(action((flags: RemoteCommand) => showMandate(io, flags)));
  withAs(withRemote(withJson(mandate.command('set'))))
    .description('put the terms of a file in force; a `version` in the file must still be the current one')
    .argument('<file>', 'YAML or JSON with scopes, terms and budget, or - for standard input')
    .action(action((file: string, flags: RemoteCommand) => setMandate(io, file, flags)));
  withAs(withRemote(withJson(mandate.command('diff'))))
    .description('what a file would change; exit code 1 if anything')
    .argument('<file>')
    .action(action((file: string, flags: RemoteCommand) => diffMandate(io, file, flags)));
};

const showMandate = (io: Io, flags: RemoteCommand): Promise<ExitCode> =>
  runRemote(io, flags, 'principal', ({ client }) =>
    andThen(client.mandate.get(), async (mandate) => {
      const { stringify } = await import('yaml');
      const made = mandate.madeBy === undefined ? '' : ` by ${mandate.madeBy}, ${mandate.createdAt ?? ''}`;
      const { version, scopes, terms, budget } = mandate;
      const yaml = stringify({ version, scopes, terms, ...(budget && { budget }) }, { lineWidth: 0 });
      printAnswer(io, { json: flags.json ?? false, value: mandate, text: () => show.text(`# made${made}\n${yaml}`).trimEnd() });
    }),
  );

const setMandate = (io: Io, file: string, flags: RemoteCommand): Promise<ExitCode> =>
  runRemote(io, flags, 'principal', async ({ client }) => {
    const given = await readTerms(io, file);
    if (!given.ok) return given;
    const { version, ...terms } = given.value;
    const current = version === undefined ? await client.mandate.get() : null;
    if (current !== null && !current.ok) return current;
    return andThen(client.mandate.set(terms as MandateTerms, version ?? (current?.value.version as number)), (mandate) => {
      printAnswer(io, {
        json: flags.json ?? false,
        value: mandate,
        text: () => `Version ${mandate.version} is in force, for every credential.`,
      });
    });
  });

async function diffMandate(io: Io, file: string, flags: RemoteCommand): Promise<ExitCode> {
  let isSame = true;
  const code = await runRemote(io, flags, 'principal', async ({ client }) => {
    const given = await readTerms(io, file);
    if (!given.ok) return given;
    const current = await client.mandate.get();
    if (!current.ok) return current;
    const before = linesOf(current.value);
    const after = linesOf(given.value);
    const changes = { removed: missingIn(after, before), added: missingIn(before, after) };
    isSame = changes.removed.length + changes.added.length === 0;
    const paint = paintFor(io.color.stdout);
    const text = () => [
      ...changes.removed.map((line) => paint.red(`- ${show.line(line)}`)),
      ...changes.added.map((line) => paint.bold(`+ ${show.line(line)}`)),
    ];
    if (flags.json || !isSame) printAnswer(io, { json: flags.json ?? false, value: changes, text: () => text().join('\n') });
    else noteLine(io, `No difference from version ${current.value.version}.`);
    return DONE;
  });
  return code === EXIT.ok && !isSame ? EXIT.refused : code;
}

type Terms = Partial<Mandate>;

/** Only that it can be read as an object; what it says is checked where it would apply. */
async function readTerms(
  io: Io,
  file: string,
): Promise<{ readonly ok: true; readonly value: Terms } | { readonly ok: false; readonly error: AnyFailure }> {
  const text = await textOf(io, file);
  if (!text.ok) return text;
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(text.value);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject
      ? { ok: true, value: value as Terms }
      : invalid(`${file} holds no mandate: it is an object with scopes, terms and budget.`);
  } catch (error) {
    return invalid(`${file} is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One line for each thing that a mandate says, so that order alone is no difference. */
function linesOf({ scopes = [], terms = [], budget }: Terms): readonly string[] {
  const termLines = terms.map(
    ({ tool, when, match, expires_at, uses, ...rest }) => `term ${JSON.stringify({ tool, when, match, expires_at, uses, ...rest })}`,
  );
  const budgetLine = budget === undefined ? [] : [`budget ${budget.usd} dollars per ${budget.per}`];
  return [...scopes.map((scope) => `scope ${scope}`), ...termLines, ...budgetLine];
}

/** Lines of `these` that `others` does not have, each as often as it is missing. */
function missingIn(others: readonly string[], these: readonly string[]): readonly string[] {
  const left = [...others];
  return these.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
