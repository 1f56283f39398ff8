import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { type JsonLine, outlineOf, textLinesOf } from './json-lines.ts';
import { PieceLine, Visible } from './visible-text.tsx';

/** Up to here everything stands in the page; beyond, in a box of its own that draws what is looked at. */
export const LINES_IN_PAGE = 40;
/** Deeper than this, lines are not indented further. */
const INDENTS = 12;

const isText = (line: JsonLine): boolean => line.type === 'text' && line.path !== '';

const OutlineLine = memo(({ line, remark }: { readonly line: JsonLine; readonly remark: ReactNode }) => (
  <div className="flex gap-3 py-px pr-2" style={{ paddingLeft: `${Math.min(line.depth, INDENTS) * 1.25}rem` }}>
    {line.name !== null && (
      <span className="w-32 max-w-[40%] shrink-0 font-mono text-sm text-quiet [overflow-wrap:anywhere]">
        {line.depth > INDENTS && `${line.depth}: `}
        <Visible text={line.name} />
      </span>
    )}
    <span
      className={`min-w-0 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere] ${line.name === null && isText(line) ? 'pl-[8.75rem] max-sm:pl-4' : ''}`}
    >
      <bdi>
        {isText(line) && line.opens && <span className="text-quiet">"</span>}
        <PieceLine pieces={line.pieces} />
        {isText(line) && line.closes && <span className="text-quiet">"</span>}
      </bdi>
      {remark}
    </span>
  </div>
));

const TextLine = memo(({ line }: { readonly line: JsonLine }) => (
  <div className="font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
    <bdi>
      <PieceLine pieces={line.pieces.filter((piece) => piece.kind !== 'break')} />
      {line.pieces.length === 0 && '\u00a0'}
    </bdi>
  </div>
));

type Props = {
  readonly value: unknown;
  readonly as: 'outline' | 'text';
  /** Said beside the value at a JSON Pointer. */
  readonly remarks?: ReadonlyMap<string, ReactNode>;
  /** Called once the last line was in sight, or at once where all of them stand in the page. */
  readonly onWhole?: () => void;
  readonly label: string;
};

export const linesOf = (value: unknown, as: Props['as']): readonly JsonLine[] => (as === 'outline' ? outlineOf(value) : textLinesOf(value));

/** A JSON value, whole. */
export function JsonView({ value, as, remarks, onWhole, label }: Props) {
  const lines = useMemo(() => linesOf(value, as), [value, as]);
  const isLong = lines.length > LINES_IN_PAGE;
  useEffect(() => {
    if (!isLong) onWhole?.();
  }, [isLong, onWhole]);
  const draw = (line: JsonLine): ReactNode =>
    as === 'text' ? (
      <TextLine line={line} />
    ) : (
      <OutlineLine line={line} remark={line.closes || line.pieces.length === 0 ? remarks?.get(line.path) : undefined} />
    );
  if (isLong) return <LongView lines={lines} draw={draw} onWhole={onWhole} label={label} />;
  return (
    <div className="overflow-clip">
      {lines.length === 0 && <span className="font-mono text-sm text-quiet">{'{ }'}</span>}
      {lines.map((line, place) => {
        const key = place;
        return <div key={key}>{draw(line)}</div>;
      })}
    </div>
  );
}

type LongProps = {
  readonly lines: readonly JsonLine[];
  readonly draw: (line: JsonLine) => ReactNode;
  readonly onWhole: (() => void) | undefined;
  readonly label: string;
};

function LongView({ lines, draw, onWhole, label }: LongProps) {
  const box = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({ count: lines.length, getScrollElement: () => box.current, estimateSize: () => 22, overscan: 20 });
  const check = (): void => {
    const element = box.current;
    if (
      element &&
      element.scrollTop + element.clientHeight >= element.scrollHeight - 4 &&
      virtual.getVirtualItems().at(-1)?.index === lines.length - 1
    )
      onWhole?.();
  };
  // Lines get their heights as they are drawn, so the end may come into reach without another scroll.
  useEffect(check);
  return (
    <section
      ref={box}
      onScroll={check}
      // A box that scrolls must be reachable without a mouse.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1
      tabIndex={0}
      aria-label={`${label} (${lines.length.toLocaleString('en')})`}
      data-scrolls
      className="max-h-[26rem] overflow-y-auto overscroll-contain rounded border border-line bg-sunken p-2 [contain:strict] h-[26rem]"
    >
      <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtual.measureElement}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {line && draw(line)}
            </div>
          );
        })}
      </div>
    </section>
  );
}
