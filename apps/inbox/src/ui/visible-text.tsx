import { Fragment, memo, type ReactNode } from 'react';
import { type Piece, piecesOf } from './visible.ts';

const Mark = ({ label, title }: { readonly label: string; readonly title: string }) => (
  <span className="unseen" title={title}>
    ⟨{label}⟩
  </span>
);

/** Pieces on one line; a line break shows as ↵. */
export const PieceLine = ({ pieces }: { readonly pieces: readonly Piece[] }) =>
  pieces.map((piece, place) => {
    // Pieces have no identity but their place: the text they come from never changes.
    const key = place;
    if (piece.kind === 'text') return <Fragment key={key}>{piece.text}</Fragment>;
    if (piece.kind === 'mark') return <Mark key={key} label={piece.label} title={piece.title} />;
    return (
      <span key={key} className="text-quiet" title="line break">
        ↵
      </span>
    );
  });

/** Somebody else's text on one line, kept to itself whatever direction it is written in. */
export const Visible = memo(({ text }: { readonly text: string }) => (
  <bdi>
    <PieceLine pieces={piecesOf(text)} />
  </bdi>
));

/** Somebody else's text with its line breaks. */
export const VisibleBlock = memo(({ text }: { readonly text: string }) => (
  <bdi className="block whitespace-pre-wrap break-words [overflow-wrap:anywhere]">
    {piecesOf(text).map((piece, place) => {
      const key = place;
      if (piece.kind === 'text') return <Fragment key={key}>{piece.text}</Fragment>;
      if (piece.kind === 'mark') return <Mark key={key} label={piece.label} title={piece.title} />;
      return <Fragment key={key}>{'\n'}</Fragment>;
    })}
  </bdi>
));

/** Text that the server made visible already: its marks are set as ours are. */
const MadeVisible = ({ text }: { readonly text: string }) => (
  <bdi>
    {text.split(/(⟨U\+[0-9A-F]{4,6}⟩)/).map((part, place) => {
      const key = place;
      if (part.startsWith('⟨U+')) return <Mark key={key} label={part.slice(1, -1)} title="a character that cannot be seen" />;
      return <PieceLine key={key} pieces={piecesOf(part)} />;
    })}
  </bdi>
);

const Quoted = ({ label, children }: { readonly label?: string | undefined; readonly children: ReactNode }) => (
  <span className="chip">
    {label !== undefined && <span className="text-quiet">{label} </span>}
    <span aria-hidden className="text-quiet">
      ‹
    </span>
    {children}
    <span aria-hidden className="text-quiet">
      ›
    </span>
  </span>
);

/** A value that somebody else chose, set so that it can't pose as our words. */
export const Chip = ({ children, label }: { readonly children: string; readonly label?: string }) => (
  <Quoted label={label}>
    <Visible text={children} />
  </Quoted>
);

/** Characters of a value in a row of a list. */
const BRIEF = 30;

/** The start and the end of a text: paths and numbers differ at their ends. */
export const brief = (text: string): string => {
  // What the server made visible is one sign of several characters.
  const characters = text.match(/⟨U\+[0-9A-F]{4,6}⟩|./gsu) ?? [];
  return characters.length <= BRIEF ? text : `${characters.slice(0, 8).join('')}…${characters.slice(9 - BRIEF).join('')}`;
};

/** A headline of the server in which values stand between ‹ and ›: each becomes a chip. `isBrief`: long values keep their ends only. */
export const Marked = memo(({ text, isBrief = false }: { readonly text: string; readonly isBrief?: boolean }) =>
  text.split(/(‹[^›]*›?)/).map((part, place) => {
    const key = place;
    if (!part.startsWith('‹')) return <MadeVisible key={key} text={part} />;
    const value = part.replaceAll(/[‹›]/g, '');
    return (
      <Quoted key={key}>
        <MadeVisible text={isBrief ? brief(value) : value} />
      </Quoted>
    );
  }),
);
