import type { Decision } from '@countersign/contracts';
import { type ReactNode, useMemo, useState } from 'react';
import { Copy } from '../../ui/copy.tsx';
import { differences, spellPath } from '../../ui/json-diff.ts';
import { unseenInLines } from '../../ui/json-lines.ts';
import { JsonView, linesOf } from '../../ui/json-view.tsx';
import { Section } from '../../ui/section.tsx';
import { Chip } from '../../ui/visible-text.tsx';
import { common } from '../../words/common.ts';
import { decision as words } from '../../words/decision.ts';
import { payloadOf } from './payload.ts';

/** A value in a remark: short ones whole; long ones by their size, since the record of that call shows them. */
const REMARK_CHARACTERS = 160;
const spell = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > REMARK_CHARACTERS ? `${text.slice(0, REMARK_CHARACTERS)}… (${text.length.toLocaleString('en')} characters)` : text;
};

function remarksOn(
  was: unknown,
  now: unknown,
  label: string,
): { readonly remarks: ReadonlyMap<string, ReactNode>; readonly removed: readonly { path: string; was: unknown }[] } {
  const found = differences(was, now);
  const remarks = new Map<string, ReactNode>();
  for (const difference of found) {
    if (difference.kind === 'removed') continue;
    remarks.set(
      difference.path,
      <span className="ml-3 font-sans text-quiet">
        {difference.kind === 'added' ? `(${words.newField})` : `(${label} `}
        {difference.kind === 'changed' && <Chip>{spell(difference.was)}</Chip>}
        {difference.kind === 'changed' && ')'}
      </span>,
    );
  }
  return { remarks, removed: found.filter((difference) => difference.kind === 'removed') };
}

const titleOf = (decision: Decision): string => {
  if (decision.kind === 'outcome') return words.effective;
  if (decision.call) return words.arguments;
  return decision.kind === 'tool' ? words.definition : words.request;
};

type Props = {
  readonly decision: Decision;
  /** The last approved call of the tool, or another value to compare with. */
  readonly compared: unknown;
  readonly onWhole: () => void;
};

/** Exactly what would happen: every argument, as it would be sent. */
export function Arguments({ decision, compared, onWhole }: Props) {
  const [as, setAs] = useState<'outline' | 'text'>('outline');
  const payload = payloadOf(decision);
  const { remarks, removed } = useMemo(
    () =>
      compared === null
        ? { remarks: undefined, removed: [] }
        : remarksOn(compared, payload, decision.kind === 'tool' ? `${words.before}:` : words.lastApproved),
    [compared, payload, decision.kind],
  );
  const text = useMemo(() => JSON.stringify(payload, null, 2), [payload]);
  const unseen = useMemo(() => unseenInLines(linesOf(payload, 'outline')), [payload]);
  const lines = useMemo(() => linesOf(payload, as).length, [payload, as]);
  return (
    <Section
      title={titleOf(decision)}
      aside={
        <span className="flex flex-wrap items-center gap-1">
          {decision.call && <code className="chip mr-2">{decision.call.tool}</code>}
          <span className="mr-2 text-sm text-quiet">{words.size(lines)}</span>
          <Copy text={text} label={common.copy} done={common.copied} />
          <Switch as={as} onChange={setAs} />
        </span>
      }
    >
      {unseen.length > 0 && <p className="mb-2 rounded bg-amber-soft px-2 py-1 text-sm">⚠ {words.unseen(unseen.join(', '))}</p>}
      <JsonView key={as} value={payload} as={as} {...(remarks && { remarks })} onWhole={onWhole} label={titleOf(decision)} />
      {removed.length > 0 && (
        <p className="mt-2 text-sm text-quiet">
          {words.removedFields}{' '}
          {removed.map(({ path, was }) => (
            <span key={path} className="mr-2">
              <Chip label={spellPath(path)}>{spell(was)}</Chip>
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}

const Switch = ({ as, onChange }: { readonly as: 'outline' | 'text'; readonly onChange: (as: 'outline' | 'text') => void }) => (
  <fieldset className="flex overflow-hidden rounded-md border border-line-strong" aria-label={words.view}>
    {(['outline', 'text'] as const).map((each) => (
      <button
        key={each}
        type="button"
        aria-pressed={as === each}
        onClick={() => onChange(each)}
        className={`min-h-7 px-2 text-sm -outline-offset-2 ${as === each ? 'bg-accent-soft font-semibold text-ink' : 'text-quiet hover:bg-sunken'}`}
      >
        {each === 'outline' ? words.tree : words.raw}
      </button>
    ))}
  </fieldset>
);
