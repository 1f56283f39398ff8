/** Text that somebody else wrote, cut into what may be printed as it is and what must be shown by its number. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** Stands for a character that hides, reorders or looks like nothing, or for a long run of one. */
  | { readonly kind: 'mark'; readonly label: string; readonly title: string }
  | { readonly kind: 'break' };

/**
 * Controls, format characters (bidi, zero width, tags), separators, lone surrogates, whatever Unicode calls ignorable, blanks other than
 * a plain space, and the brackets that marks are made of.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u27e8\u27e9]/u;

/** Blanks in a row that push what follows out of sight. */
const LONG_RUN = 24;
const PART = new RegExp(`( {${LONG_RUN},}|\\n{${LONG_RUN},}|\\t{${LONG_RUN},}|${UNSEEN.source})`, 'gu');

const codeOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const NAMES: Readonly<Record<string, string>> = {
  '\u200b': 'zero-width space',
  '\u200c': 'zero-width non-joiner',
  '\u200d': 'zero-width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'end of direction change',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override: reverses what follows',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first-strong isolate',
  '\u2069': 'end of isolate',
  '\u00ad': 'soft hyphen',
  '\ufeff': 'zero-width no-break space',
  '\u00a0': 'no-break space',
  '\r': 'carriage return',
  '\u001b': 'escape: starts a terminal command',
  '\u0000': 'NUL',
  '\u0008': 'backspace',
};

const RUN_NAMES: Readonly<Record<string, string>> = { ' ': 'space', '\n': 'line break', '\t': 'tab' };

function pieceOf(part: string): Piece {
  const [first = ''] = part;
  if (part.length >= LONG_RUN) {
    const label = `${RUN_NAMES[first]} × ${part.length.toLocaleString('en')}`;
    return { kind: 'mark', label, title: 'A long run, counted here so that it pushes nothing out of sight' };
  }
  if (part === '\n') return { kind: 'break' };
  if (part === '\t') return { kind: 'text', text: '\t' };
  return { kind: 'mark', label: codeOf(part), title: NAMES[part] ?? 'a character that cannot be seen' };
}

/** All of a text in order; nothing is left out. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(PART)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) });
    pieces.push(pieceOf(match[0]));
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

/** On one line, as plain text: for titles of windows and labels. */
export const visibleLine = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : piece.kind === 'break' ? ' ↵ ' : `⟨${piece.label}⟩`))
    .join('');

/** Names what cannot be seen in a text; empty where everything can. */
export const unseenIn = (text: string): readonly string[] => [
  ...new Set(piecesOf(text).flatMap((piece) => (piece.kind === 'mark' && !piece.label.includes('×') ? [piece.label] : []))),
];
