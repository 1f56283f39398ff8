/**
 * Controls, format characters (bidi, zero width, tags), separators, lone surrogates, whatever Unicode calls ignorable, blanks that look
 * like nothing, and our own brackets, so that a shown escape can't be mistaken for a written one.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27e8\u27e9]/gu;

/**
 * The text with every hiding or reordering character shown by its number, for the page, the terminal and notices.
 * Line feeds and tabs stay. Text is never shortened.
 * @example visible('a\u202eb') === 'a⟨U+202E⟩b'
 */
export const visible = (text: string): string => text.replace(UNSEEN, (char) => (char === '\n' || char === '\t' ? char : codeOf(char)));

/** The same on one line: line feeds and tabs are shown as well. */
export const visibleLine = (text: string): string => text.replace(UNSEEN, codeOf);

const codeOf = (char: string): string => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
