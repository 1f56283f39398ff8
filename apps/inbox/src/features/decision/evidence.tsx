import type { Decision } from '@countersign/contracts';
import { Copy } from '../../ui/copy.tsx';
import { Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Chip, VisibleBlock } from '../../ui/visible-text.tsx';
import { common } from '../../words/common.ts';
import { evidence as words } from '../../words/decision.ts';

/** Claims with what they point to. A reference is text to copy, not a link to press: an agent chose where it leads. */
export const EvidenceList = ({ decision }: { readonly decision: Decision }) =>
  decision.evidence.length === 0 ? null : (
    <Section title={words.title(decision.evidence.length)}>
      <ul className="space-y-2">
        {decision.evidence.map((piece) => (
          <li key={piece.id} className="rounded border border-dashed border-line-strong p-3">
            <blockquote className="border-l-2 border-chip-line bg-chip px-3 py-1 font-mono text-sm">
              <VisibleBlock text={piece.claim} />
            </blockquote>
            <p className="mt-1 flex flex-wrap items-center gap-x-2 text-sm text-quiet">
              {words.source[piece.source]}
              {piece.reference !== null && (
                <>
                  <Chip>{piece.reference}</Chip>
                  <Copy text={piece.reference} label={common.copy} done={common.copied} />
                </>
              )}
              <Ago at={piece.at} suffix={` ${common.ago}`} />
            </p>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-quiet">{words.note}</p>
    </Section>
  );
