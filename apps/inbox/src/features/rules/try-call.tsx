import type { RuleTable as Table, TryReport } from '@countersign/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { agentList } from '../../data/agents.ts';
import { client, failureOf, unwrap } from '../../data/client.ts';
import { oneTool } from '../../data/rules.ts';
import { Choose, choicesOf, withFilter } from '../../parts/filters.tsx';
import { emptyArguments } from '../../parts/tool-schema.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Fold, Section } from '../../ui/section.tsx';
import { Visible, VisibleBlock } from '../../ui/visible-text.tsx';
import { rules as words } from '../../words/rules.ts';

/** Judges one call as the gate would and says why. Tool and agent live in the address. */
export function TryCall({ table }: { readonly table: Table }) {
  const [search, setSearch] = useSearchParams();
  const agents = useQuery(agentList);
  const names = useId();
  const tool = search.get('tool') ?? '';
  const agent = search.get('agent') ?? '';
  const detail = useQuery({ ...oneTool(tool), enabled: table.tools.some((row) => row.tool === tool), retry: false });
  const [typed, setTyped] = useState<string | null>(null);
  const skeleton = JSON.stringify(emptyArguments(detail.data?.definition.inputSchema), null, 2);
  const text = typed ?? skeleton;
  const [problem, setProblem] = useState<string | null>(null);
  const judge = useMutation({
    mutationFn: (args: unknown) => unwrap(client.rules.try({ tool, arguments: args, ...(agent !== '' && { agent }) })),
  });
  const { reset } = judge;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tool or agent makes the last report one about something else
  useEffect(() => reset(), [tool, agent, reset]);
  const send = (): void => {
    try {
      const args: unknown = JSON.parse(text);
      setProblem(null);
      judge.mutate(args);
    } catch (error) {
      setProblem(words.badJson(error instanceof Error ? error.message : String(error)));
    }
  };
  const set = (name: string) => (value: string) => setSearch(withFilter(search, name, value), { replace: true });
  return (
    <div className="grid gap-8 wide:grid-cols-2">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <p className="text-quiet">{words.tryHelp}</p>
        <div className="mt-4 grid gap-4 sm:grid-cols-2">
          <Field label={words.tool}>
            <input
              className="field font-mono text-sm"
              list={names}
              autoComplete="off"
              spellCheck={false}
              required
              value={tool}
              onChange={(event) => {
                setTyped(null);
                set('tool')(event.target.value);
              }}
            />
          </Field>
          <datalist id={names}>
            {table.tools.map((row) => (
              <option key={row.tool} value={row.tool} />
            ))}
          </datalist>
          <Choose
            label={words.agent}
            value={agent}
            choices={choicesOf(
              agents.data?.map((each) => each.name),
              agent,
            )}
            onChange={set('agent')}
          />
        </div>
        <Field label={words.arguments} className="mt-4" error={problem ?? undefined}>
          <textarea
            className="field font-mono text-sm"
            rows={Math.min(16, Math.max(4, text.split('\n').length + 1))}
            spellCheck={false}
            autoCapitalize="off"
            value={text}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        <Button type="submit" look="strong" size="large" className="mt-4" disabled={tool === '' || judge.isPending}>
          {words.doTry}
        </Button>
        {detail.data !== undefined && <About definition={detail.data} />}
      </form>
      <div aria-live="polite">
        {judge.isError && <Notice tone="amber" title={failureOf(judge.error).message} urgent />}
        {judge.data !== undefined && <Report report={judge.data} />}
      </div>
    </div>
  );
}

const About = ({
  definition,
}: {
  readonly definition: { definition: Record<string, unknown>; idempotent: boolean; cost: string | null; redact: string[] };
}) => {
  const { description } = definition.definition;
  return (
    <Fold title={words.definition}>
      {typeof description === 'string' && (
        <blockquote className="max-h-60 overflow-y-auto border-l-2 border-chip-line bg-chip px-3 py-1 font-mono text-sm">
          <VisibleBlock text={description} />
        </blockquote>
      )}
      <p className="mt-1 text-sm text-quiet">{words.definitionNote}</p>
      <p className="mt-1 text-sm text-quiet">
        {definition.idempotent ? words.facts.idempotent : words.facts.once}
        {definition.cost !== null && (
          <>
            {' '}
            · {words.facts.cost} <code className="font-mono">{definition.cost}</code> USD
          </>
        )}
        {definition.redact.length > 0 && ` · ${words.facts.redact}: ${definition.redact.join(', ')}`}
      </p>
    </Fold>
  );
};

const TONES = { allow: 'plain', ask: 'amber', refuse: 'red' } as const;

const Report = ({ report }: { readonly report: TryReport }) => (
  <>
    <Notice tone={TONES[report.effect]} title={words.verdictOf[report.effect]}>
      {report.schemaProblem && (
        <p>
          {words.schema} <Visible text={report.schemaProblem} />
        </p>
      )}
    </Notice>
    <Section title={words.why} level={2}>
      {report.grounds.length === 0 ? (
        <p>{words.noGround}</p>
      ) : (
        <ul>
          {report.grounds.map((ground) => (
            <li key={`${ground.kind} ${ground.rule ?? ''} ${ground.reason}`} className="py-1">
              <VisibleBlock text={ground.reason} />
              <p className="text-sm text-quiet">
                {ground.rule && (
                  <>
                    <Link href={`/rules?rule=${encodeURIComponent(ground.rule)}`} className="font-mono">
                      {ground.rule}
                    </Link>
                    {' · '}
                  </>
                )}
                {ground.effect === 'refuse' ? words.effect.refuse : words.answerers2(ground.answerBy)}
                {ground.mode === 'shadow' && ` · ${words.shadow}`}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
    <Section title={words.considered} level={2}>
      <ul className="divide-y divide-line text-sm">
        {report.considered.map((each) => (
          <li key={`${each.kind} ${each.id}`} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
            <span className="font-mono">{each.kind === 'term' ? words.term(each.id) : each.id}</span>
            <span className="min-w-0 flex-1 text-quiet">
              <Visible text={each.when} />
            </span>
            <span
              className={each.said === 'matches' ? 'font-semibold' : each.said === 'could not be evaluated' ? 'text-amber' : 'text-quiet'}
            >
              {words.said[each.said]}
            </span>
            {each.detail !== null && (
              <span className="basis-full text-amber">
                <Visible text={each.detail} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  </>
);
