import type { Decision } from '@countersign/contracts';
import { Fold, Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Chip, VisibleBlock } from '../../ui/visible-text.tsx';
import { decision as words } from '../../words/decision.ts';

type SeenCall = {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly state: string;
  readonly result: string | null;
  readonly at: string;
};

const isSeenCall = (value: unknown): value is SeenCall =>
  typeof value === 'object' && value !== null && 'tool' in value && 'state' in value && typeof value.tool === 'string';

/** The text of a tool's result, where it has any; otherwise the result as it was recorded. */
export function resultText(recorded: string): string {
  try {
    const reply = JSON.parse(recorded) as { result?: { content?: unknown[] }; content?: unknown[] };
    const content = (reply.result ?? reply).content ?? [];
    const texts = content.flatMap((block) =>
      typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string' ? [block.text] : [],
    );
    return texts.length > 0 ? texts.join('\n') : recorded;
  } catch {
    // Cut by the server to its size for the card, which it says at the end.
    return recorded;
  }
}

const Quote = ({ text }: { readonly text: string }) => (
  <blockquote className="max-h-60 overflow-y-auto border-l-2 border-chip-line bg-chip px-3 py-1 font-mono text-sm">
    <VisibleBlock text={text} />
  </blockquote>
);

/** Characters of arguments that stand on the line of their call. */
const SHORT = 120;

const Call = ({ call }: { readonly call: SeenCall }) => (
  <li className="py-2">
    <p className="text-sm">
      <code className="font-mono">{call.tool}</code> {call.arguments.length <= SHORT && <Chip>{call.arguments}</Chip>}{' '}
      <span className="text-quiet">
        · {words.callState[call.state as keyof typeof words.callState] ?? call.state} · <Ago at={call.at} />
      </span>
    </p>
    {call.arguments.length > SHORT && <Quote text={call.arguments} />}
    {call.result !== null && <Quote text={resultText(call.result)} />}
  </li>
);

/** What the server saw itself and what the agent says, apart. */
export function Context({ decision }: { readonly decision: Decision }) {
  const { seen, claimed } = decision.context;
  const calls = Array.isArray(seen.lastCalls) ? seen.lastCalls.filter(isSeenCall) : [];
  const task = typeof seen.task === 'string' ? seen.task : null;
  return (
    <>
      {claimed !== null && (
        <Section title={words.claimed(decision.agent)}>
          <div className="rounded border border-dashed border-line-strong p-3">
            <Quote text={claimed} />
            <p className="mt-1 text-sm text-quiet">{words.claimedNote}</p>
          </div>
        </Section>
      )}
      {(calls.length > 0 || task !== null) && (
        <Fold title={words.led(calls.length + (task === null ? 0 : 1))}>
          {task !== null && (
            <>
              <p className="text-sm text-quiet">{words.task}</p>
              <Quote text={task} />
            </>
          )}
          {calls.length > 0 && (
            <>
              <p className="text-sm text-quiet">{words.lastCalls}</p>
              <ul className="divide-y divide-line">
                {calls.map((call) => (
                  <Call key={call.id} call={call} />
                ))}
              </ul>
            </>
          )}
        </Fold>
      )}
    </>
  );
}
