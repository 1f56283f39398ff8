/**
 * Text of somebody else, made safe to look at: what would not show, or would move other text, becomes a visible mark. Nothing is cut.
 * Marked are control, format (bidi, zero-width, tags), private, unassigned and lone surrogate code points, line separators, code points
 * that fonts ignore, and every space but the plain one. Line feeds stay, since a person sees them.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/u;
/** The same character so often in a row that it would push what follows out of sight. */
const PADDING = /([ \n\t\u00a0\u2800])\1{39,}/u;
const PIECES = new RegExp(`${PADDING.source}|${HIDDEN.source}`, 'gu');

const name = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** `text` as pieces: `{ text }` as it stands, or `{ mark }` for what would not show. Put together again they are the whole text. */
export const visiblePieces = (text) => {
  const pieces = [];
  let from = 0;
  for (const match of text.matchAll(PIECES)) {
    const [found, padding] = match;
    if (found === '\n') continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push({ mark: padding === undefined ? name(found) : `${found.length} × ${name(padding)}` });
    from = match.index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
};

/** The same for places that take plain text only: `‹U+202E›`. */
export const visibleText = (text) =>
  visiblePieces(text)
    .map(({ text: plain, mark }) => plain ?? `‹${mark}›`)
    .join('');

/** JSON to be edited: what would not show is written as an escape, which means the same. */
export const editableJson = (value) =>
  JSON.stringify(value, null, 2).replace(new RegExp(HIDDEN.source, 'gu'), (char) =>
    char === '\n'
      ? char
      : Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
