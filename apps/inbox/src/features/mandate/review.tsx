import type { MandatePreview, MandateTerms } from '@countersign/contracts';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { common } from '../../words/common.ts';
import { mandate as words } from '../../words/mandate.ts';
import { type Change, changesBetween } from './mandate-changes.ts';

/** Days of recorded calls that a change is held against. */
export const PREVIEW_DAYS = 30;
const SHOWN = 50;

/** What the server said of a mandate that is not in force, or why it could not. */
export type Foresight = { readonly ok: true; readonly preview: MandatePreview } | { readonly ok: false; readonly reason: string };

type Props = {
  readonly was: MandateTerms;
  readonly now: MandateTerms;
  readonly foresight: Foresight;
  readonly isSaving: boolean;
  readonly problem: string | null;
  readonly onClose: () => void;
  readonly onSave: () => void;
};

/** What would change and what it would have changed, before it is in force. */
export const Review = ({ was, now, foresight, isSaving, problem, onClose, onSave }: Props) => (
  <Dialog open onClose={onClose} title={words.reviewTitle} wide>
    <ul aria-label={words.reviewTitle}>
      {changesBetween(was, now).map((change) => (
        <ChangeLine key={`${change.kind} ${change.text} ${change.code}`} change={change} />
      ))}
    </ul>
    {foresight.ok ? <Preview preview={foresight.preview} /> : <NoPreview reason={foresight.reason} />}
    {problem !== null && (
      <div className="mt-4">
        <Notice tone="amber" title={words.notSaved} urgent>
          {problem}
        </Notice>
      </div>
    )}
    <DialogButtons>
      <Button onClick={onClose}>{words.back}</Button>
      <Button look="strong" disabled={isSaving} onClick={onSave}>
        {words.save}
      </Button>
    </DialogButtons>
  </Dialog>
);

const ChangeLine = ({ change }: { readonly change: Change }) => (
  <li className={`flex gap-2 px-2 py-1 ${change.kind === 'added' ? 'bg-accent-soft' : 'bg-sunken'}`}>
    <span aria-hidden className="w-4 shrink-0 text-center font-mono font-semibold">
      {change.kind === 'added' ? '+' : '−'}
    </span>
    <span className="sr-only">{change.kind === 'added' ? words.added : words.removed}:</span>
    <span className="min-w-0 [overflow-wrap:anywhere]">
      <Visible text={change.text} />
      {change.code !== null && (
        <code className="block font-mono text-sm text-quiet">
          <Visible text={change.code} />
        </code>
      )}
    </span>
  </li>
);

const NoPreview = ({ reason }: { readonly reason: string }) => (
  <div className="mt-4">
    <Notice title={words.noPreview}>{reason}</Notice>
  </div>
);

const Preview = ({ preview }: { readonly preview: MandatePreview }) => (
  <>
    <p className="mt-4 font-medium">{words.compared[preview.compared]}</p>
    {preview.warnings.length > 0 && (
      <div className="mt-3">
        <Notice tone="amber" title={words.warnings}>
          <ul className="list-disc pl-5">
            {preview.warnings.map((warning) => (
              <li key={warning}>
                <Visible text={warning} />
              </li>
            ))}
          </ul>
        </Notice>
      </div>
    )}
    <Section title={words.previewTitle(PREVIEW_DAYS)}>
      <p>
        {preview.judged === 0
          ? words.previewEmpty
          : preview.changed.length === 0
            ? words.previewNone(preview.judged)
            : words.previewSome(preview.changed.length, preview.judged)}
        {preview.unjudged > 0 && ` ${words.unjudged(preview.unjudged)}`}
      </p>
      <ul className="mt-1 divide-y divide-line text-sm">
        {preview.changed.slice(0, SHOWN).map((each) => (
          <li key={each.call} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
            <Link href={`/audit?call=${each.call}`} className="font-mono">
              {each.tool}
            </Link>
            <span className="text-quiet">
              {each.agent} · <Ago at={each.at} suffix={` ${common.ago}`} />
            </span>
            <span className="ml-auto">
              {words.effect[each.was]} → <span className="font-semibold">{words.wouldBe[each.now]}</span>
            </span>
          </li>
        ))}
      </ul>
      {preview.changed.length > SHOWN && <p className="text-sm text-quiet">{words.moreChanged(preview.changed.length - SHOWN)}</p>}
    </Section>
  </>
);
