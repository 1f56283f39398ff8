import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// @ts-expect-error the page's files are served as they stand and have no types
import * as page from '../public/visible-text.js';

type Piece = { readonly text?: string; readonly mark?: string };
const { visiblePieces, visibleText, editableJson } = page as {
  visiblePieces(text: string): Piece[];
  visibleText(text: string): string;
  editableJson(value: unknown): string;
};

describe('text of somebody else (E2)', () => {
  it.each([
    ['a bidi override', 'North\u202ewind', 'North‹U+202E›wind'],
    ['a zero-width space', 'a\u200bb', 'a‹U+200B›b'],
    ['an escape sequence', '\u001b[2Jx', '‹U+001B›[2Jx'],
    ['a carriage return', 'safe\revil', 'safe‹U+000D›evil'],
    ['a tag character', 'a\u{e0041}b', 'a‹U+E0041›b'],
    ['a space that is none', 'a\u00a0b', 'a‹U+00A0›b'],
    ['a filler that fonts leave out', 'a\u3164b', 'a‹U+3164›b'],
    ['a lone surrogate', 'a\ud800b', 'a‹U+D800›b'],
    ['padding before the tail', `x${' '.repeat(100_000)}rm`, 'x‹100000 × U+0020›rm'],
    ['many line feeds before the tail', `x${'\n'.repeat(500)}rm`, 'x‹500 × U+000A›rm'],
  ])('shows %s', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it.each(['plain words', 'Ångström, naïve, 東京, Ελλάδα', 'two\nlines', 'a  b', '👍 fine'])('leaves "%s" as it is', (text) => {
    expect(visiblePieces(text)).toEqual([{ text }]);
  });

  const whole = (pieces: Piece[]): string =>
    pieces
      .map(({ text, mark = '' }) => {
        const [, count = '1', code = ''] = /^(?:(\d+) × )?U\+([0-9A-F]+)$/.exec(mark) ?? [];
        return text ?? String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(count));
      })
      .join('');

  it('loses nothing: the pieces are the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(whole(visiblePieces(text))).toBe(text);
      }),
    );
  });

  it('passes on no character that would not show', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visibleText(text)).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('arguments to be edited', () => {
  it('mean the same after a look, and hide nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const text = editableJson(value);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value));
        expect(text).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
