/** Masks values inside texts that hold them. */
import { visibleLine } from '@countersign/core';

/** Stands where a value is hidden. */
export const MASK = '‹redacted›';

/** Values as text. Null: nobody knows which, so every marked value of a headline may be one. */
export type Secrets = readonly string[] | null;

/** Shorter values are masked where they stand alone: inside other words they would take half the text with them. */
export const SHORTEST = 4;
/** A headline shows values in these marks. */
const MARKED = /‹([^›]*)(?:›|$)/g;
/** How the record ends a text that it shows the beginning of. */
const CUT = /… \(\d+ more characters\)$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * A function that masks these values in a text: as they are, as JSON escapes them, between the marks of a headline (where they may have been
 * shortened), and where the end of a text cut one in two.
 */
export function maskText(secrets: Secrets): (text: string) => string {
  if (secrets === null) return (text) => text.replace(MARKED, MASK);
  if (secrets.length === 0) return (text) => text;
  const whole = new Set(secrets);
  const marked = secrets.map((secret) => visibleLine(secret).replaceAll(/[‹›]/g, '·'));
  // Results are JSON, and what tools answer in them often is JSON once more.
  const forms = [...new Set(secrets.flatMap((secret) => [secret, escaped(secret), escaped(escaped(secret))]))]
    .filter((form) => form.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    if (whole.has(text)) return MASK;
    if (DIGEST.test(text)) return text;
    const headline = text.replace(MARKED, (found, inside: string) => (isAmong(marked, inside) ? MASK : found));
    const plain = forms.reduce((rest, form) => rest.replaceAll(form, MASK), headline);
    return CUT.test(plain) ? withoutHalf(plain, forms) : plain;
  };
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Whether a marked value is one of these, a part of one, or holds one. */
function isAmong(secrets: readonly string[], inside: string): boolean {
  const shown = inside.replace(/…$/, '');
  return secrets.some(
    (secret) =>
      secret === inside || (shown.length >= SHORTEST && secret.includes(shown)) || (secret.length >= SHORTEST && inside.includes(secret)),
  );
}

/** Masks the first half of a value whose second half was cut off. */
function withoutHalf(text: string, forms: readonly string[]): string {
  const end = text.search(CUT);
  const kept = text.slice(0, end);
  const halves = forms.map((form) => {
    let length = Math.min(form.length - 1, kept.length);
    while (length > 0 && !kept.endsWith(form.slice(0, length))) length -= 1;
    return length;
  });
  const longest = Math.max(0, ...halves);
  return longest === 0 ? text : `${kept.slice(0, kept.length - longest)}${MASK}${text.slice(end)}`;
}
