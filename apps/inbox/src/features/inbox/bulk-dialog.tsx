import type { BulkAnswerReport, Decision, DecisionRow } from '@countersign/contracts';
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { client, failureOf, unwrap } from '../../data/client.ts';
import { oneDecision } from '../../data/decisions.ts';
import { keys } from '../../data/keys.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { JsonView, LINES_IN_PAGE, linesOf } from '../../ui/json-view.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Marked } from '../../ui/visible-text.tsx';
import { common } from '../../words/common.ts';
import { bulk } from '../../words/inbox.ts';

type Effect = 'approve' | 'refuse';
type Props = { readonly effect: Effect; readonly rows: readonly DecisionRow[]; readonly onClose: () => void; readonly onDone: () => void };

/** What fits whole in a list of many. Anything else is opened and answered by itself. */
const fits = (decision: Decision, effect: Effect): boolean =>
  effect === 'refuse' || (!decision.irreversible && linesOf(payloadOf(decision), 'outline').length <= LINES_IN_PAGE);

const payloadOf = (decision: Decision): unknown => decision.call?.effectiveArguments ?? decision.call?.arguments ?? decision.request ?? {};

/** One list of exactly what will be answered, one answer, and what became of each. */
export function BulkDialog({ effect, rows, onClose, onDone }: Props) {
  const queryClient = useQueryClient();
  const [note, setNote] = useState('');
  const [isRead, setRead] = useState(effect === 'refuse');
  const records = useQueries({ queries: rows.map((row) => oneDecision(row.id)) });
  const decisions = records.flatMap((record) => record.data ?? []);
  const isReading = records.some((record) => record.isPending);
  const included = decisions.filter((decision) => decision.allowed.includes(effect) && fits(decision, effect));
  const answer = useMutation({
    mutationFn: (chosen: readonly Decision[]) =>
      unwrap(
        client.decisions.answerMany({
          answers: chosen.map(({ id, version, shownDigest }) => ({
            id,
            version,
            shownDigest,
            effect,
            ...(note.trim() !== '' && { note: note.trim() }),
          })),
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.allDecisions }),
  });
  const close = (): void => {
    if (answer.isSuccess) onDone();
    onClose();
  };
  const lastInSight = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const watcher = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setRead(true));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  if (answer.isSuccess) return <Report report={answer.data} decisions={answer.variables} effect={effect} onClose={close} />;
  const apart = decisions.filter((decision) => decision.state === 'pending').length - included.length;
  return (
    <Dialog open onClose={close} title={bulk.title(bulk.verbs[effect], isReading ? rows.length : included.length)} wide finalFocus={toList}>
      <p className="text-quiet">{bulk.help[effect]}</p>
      {isReading && <p className="py-4 text-quiet">{bulk.reading}</p>}
      <ol className="mt-3 divide-y divide-line border-y border-line">
        {decisions.map((decision) => (
          <li key={decision.id} className="py-3">
            <Item decision={decision} isIncluded={included.includes(decision)} />
          </li>
        ))}
      </ol>
      {!isReading && <div ref={lastInSight} className="h-px" />}
      {apart > 0 && (
        <div className="mt-3">
          <Notice>{bulk.apart(apart)}</Notice>
        </div>
      )}
      <Field label={bulk.note} className="mt-4">
        <textarea
          className="field"
          rows={2}
          maxLength={4000}
          value={note}
          placeholder={bulk.notePlaceholder[effect]}
          onChange={(event) => setNote(event.target.value)}
        />
      </Field>
      {answer.isError && (
        <div className="mt-3">
          <Notice tone="amber" title={failureOf(answer.error).message} urgent />
        </div>
      )}
      <DialogButtons>
        {!isRead && <span className="self-center text-sm text-quiet">{bulk.readAll}</span>}
        <Button onClick={close}>{common.cancel}</Button>
        <Button
          look={effect === 'approve' ? 'strong' : 'plain'}
          disabled={isReading || !isRead || included.length === 0 || answer.isPending}
          onClick={() => answer.mutate(included)}
        >
          {bulk.do(bulk.verbs[effect], included.length)}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** The rows that were answered are gone, and what opened the dialog with them. */
const toList = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-marked] a, [data-row] a');

/** An item keeps its place when somebody else answers it meanwhile: nothing moves under the pointer. */
const Item = ({ decision, isIncluded }: { readonly decision: Decision; readonly isIncluded: boolean }) => (
  <>
    <p className={isIncluded ? 'font-medium' : 'text-quiet'}>
      <Marked text={decision.title} />
      {decision.state !== 'pending' && (
        <>
          {' · '}
          <StateMark state={decision.state} />
        </>
      )}
    </p>
    <p className="mb-1 text-sm text-quiet">
      {decision.agent} · {decision.call?.tool ?? common.kind[decision.kind]} · {decision.grounds[0]?.reason}
    </p>
    {isIncluded ? (
      <JsonView value={payloadOf(decision)} as="outline" label={decision.title} />
    ) : (
      decision.state === 'pending' && <p className="text-sm">{bulk.alone}</p>
    )}
  </>
);

type ReportProps = {
  readonly report: BulkAnswerReport;
  readonly decisions: readonly Decision[];
  readonly effect: Effect;
  readonly onClose: () => void;
};

function Report({ report, decisions, effect, onClose }: ReportProps) {
  const failed = report.items.filter((item) => !item.ok).length;
  return (
    <Dialog open onClose={onClose} title={bulk.done} wide finalFocus={toList}>
      {failed > 0 && <Notice tone="amber" title={bulk.failed(failed)} urgent />}
      <ul className="mt-2 divide-y divide-line">
        {report.items.map((item) => (
          <li key={item.id} className="flex flex-wrap gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 flex-1">
              <Marked text={decisions.find((decision) => decision.id === item.id)?.title ?? item.id} />
            </span>
            <span className={item.ok ? '' : 'basis-full text-sm text-amber'}>
              {item.ok ? `✓ ${bulk.ok[effect]}` : `✕ ${item.problem?.detail ?? ''}`}
            </span>
          </li>
        ))}
      </ul>
      <DialogButtons>
        <Button onClick={onClose}>{common.close}</Button>
      </DialogButtons>
    </Dialog>
  );
}
