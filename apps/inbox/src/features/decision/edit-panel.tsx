import type { Decision } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useState } from 'react';
import { client, unwrap } from '../../data/client.ts';
import { oneTool } from '../../data/rules.ts';
import { propertiesOf } from '../../parts/tool-schema.ts';
import { Button } from '../../ui/button.tsx';
import { differences, spellPath } from '../../ui/json-diff.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Chip, Visible } from '../../ui/visible-text.tsx';
import { answering as words } from '../../words/decision.ts';
import { type JsonObject, readEdited, writeEdited } from './edit.ts';
import { Fields } from './edit-fields.tsx';

type Props = {
  readonly decision: Decision;
  readonly original: JsonObject;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onStop: () => void;
  /** Ctrl+Enter: on to the answer. */
  readonly onDone: () => void;
};

const spell = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The arguments to be changed, by field or as JSON, with what would change and what the gate would say. */
export function EditPanel({ decision, original, text, onChange, onStop, onDone }: Props) {
  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('textarea, input')) return;
    if (event.key === 'Escape') event.target.blur();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !edited.ok) return;
    event.preventDefault();
    onDone();
  };
  const [isRaw, setRaw] = useState(false);
  const edited = readEdited(text);
  const tool = useQuery({ ...oneTool(decision.call?.tool ?? ''), enabled: decision.call !== null });
  return (
    <Section
      title={words.edit}
      aside={
        <span className="flex gap-1">
          <Button look="quiet" aria-pressed={!isRaw} disabled={!edited.ok} onClick={() => setRaw(false)}>
            {words.editForm}
          </Button>
          <Button look="quiet" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            {words.editRaw}
          </Button>
          <Button onClick={onStop}>{words.stopEdit}</Button>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields inside, which say what they do */}
      <div onKeyDown={onKey}>
        <p className="mb-2 text-sm text-quiet">
          {words.editHelp} {words.editKeys}
        </p>
        {isRaw || !edited.ok ? (
          <textarea
            className="field font-mono text-sm"
            rows={Math.min(20, text.split('\n').length + 1)}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            aria-label={words.editRaw}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <Fields
            value={edited.value}
            properties={propertiesOf(tool.data?.definition)}
            onChange={(value) => onChange(writeEdited(value))}
          />
        )}
      </div>
      {!edited.ok && <p className="mt-1 text-sm text-red">{words.badJson(edited.reason)}</p>}
      {edited.ok && <Changes original={original} edited={edited.value} />}
      {edited.ok && <GateSays decision={decision} edited={edited.value} original={original} />}
    </Section>
  );
}

function Changes({ original, edited }: { readonly original: JsonObject; readonly edited: JsonObject }) {
  const found = differences(original, edited);
  if (found.length === 0) return <p className="mt-2 text-sm text-quiet">{words.noChanges}</p>;
  return (
    <div className="mt-3 text-sm">
      <p className="font-semibold">{words.changes}</p>
      <ul>
        {found.map((difference) => (
          <li key={difference.path} className="py-0.5">
            <span className="font-mono">
              <Visible text={spellPath(difference.path)} />
            </span>{' '}
            {difference.kind !== 'added' && (
              <del className="no-underline opacity-80">
                <Chip label="−">{spell(difference.was)}</Chip>
              </del>
            )}{' '}
            {difference.kind !== 'removed' && (
              <ins className="no-underline">
                <Chip label="+">{spell(difference.now)}</Chip>
              </ins>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Asks the gate about the edited call before anything is sent; the answer itself asks it again. */
function GateSays({
  decision,
  edited,
  original,
}: {
  readonly decision: Decision;
  readonly edited: JsonObject;
  readonly original: JsonObject;
}) {
  const asked = useDeferredValue(edited);
  const tool = decision.call?.tool ?? '';
  const isChanged = differences(original, asked).length > 0;
  const report = useQuery({
    queryKey: ['try', tool, decision.agent, asked],
    queryFn: ({ signal }) => unwrap(client.rules.try({ tool, arguments: asked, agent: decision.agent }, { signal })),
    enabled: isChanged,
    gcTime: 0,
  });
  if (!isChanged || report.data === undefined) return null;
  const refusal = report.data.grounds.find((ground) => ground.effect === 'refuse' && ground.mode === 'enforce');
  return (
    <div className="mt-3">
      <Notice tone={refusal || report.data.schemaProblem ? 'red' : 'plain'}>
        {report.data.schemaProblem ? (
          <p>
            {words.wouldNotFit} <Visible text={report.data.schemaProblem} />
          </p>
        ) : (
          <>
            <p>{words.wouldBe[report.data.effect]}</p>
            {refusal && <Visible text={refusal.reason} />}
          </>
        )}
      </Notice>
    </div>
  );
}
