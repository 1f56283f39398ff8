/** Longer values are nobody's own words. */
const MAX_VALUE = 1000;
const WORD = /[\p{L}\p{N}\p{M}_]/u;
/** Joins what stands on both sides to one token: `a.b`, `x@y.org`, `/tmp/a`, `10-20`. */
const JOINER = /[.@/\\+:_~#&=%-]/;
const AMOUNT = /\d+(?:[.,]\d+)*/g;
const PLAIN = /^\d+(\.\d+)?$/;
const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/;

/**
 * Whether a value stands in the principal's own words as a whole token: `ann` is not found in `joanna`, nor `example.org` in
 * `ada@example.org` or `example.org/pay`. Case counts, white space does not. A number is found however it is written: 1250 in `1,250.00`.
 * @param task the principal's words at the root of the chain
 * @example named('Northwind', 'Pay Northwind 250.') === true
 * @example named(25, 'Pay Northwind 250.') === false
 */
export function named(value: string | number | bigint, task: string): boolean {
  if (typeof value !== 'string') return holdsAmount(Number(value), task);
  const wanted = squeeze(value);
  if (wanted === '' || wanted.length > MAX_VALUE) return false;
  return holdsToken(wanted, squeeze(task)) || (PLAIN.test(wanted) && holdsAmount(Number(wanted), task));
}

const squeeze = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();

function holdsToken(wanted: string, text: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!isPartOfToken(charBefore(text, at)) && endsToken(text.slice(at + wanted.length, at + wanted.length + 4))) return true;
  }
  return false;
}

const isPartOfToken = (char: string): boolean => WORD.test(char) || JOINER.test(char);
const charBefore = (text: string, at: number): string => [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
const firstChar = (text: string): string => [...text][0] ?? '';

/** `rest` is what follows. A joiner ends a token where nothing follows it: `example.org.` ends a sentence, `example.org.evil` does not. */
function endsToken(rest: string): boolean {
  const after = firstChar(rest);
  if (WORD.test(after)) return false;
  if (/^['’]/.test(rest)) return /^['’]s?(?![\p{L}\p{N}])/u.test(rest);
  return !JOINER.test(after) || !isPartOfToken(firstChar(rest.slice(after.length)));
}

function holdsAmount(amount: number, task: string): boolean {
  for (const { 0: raw, index } of task.matchAll(AMOUNT)) {
    if (!(PLAIN.test(raw) || GROUPED.test(raw)) || Math.abs(amount) !== Number(raw.replaceAll(',', ''))) continue;
    const sign = signBefore(task, index);
    const isWhole = sign !== null && endsToken(task.slice(index + raw.length, index + raw.length + 4));
    if (isWhole && (amount === 0 || amount < 0 === (sign === '-'))) return true;
  }
  return false;
}

/** `-` or nothing; null where the digits belong to a token that began before them. */
function signBefore(text: string, at: number): '-' | '' | null {
  const before = charBefore(text, at);
  if (before === '-' || before === '−') return /^[\s(]?$/.test(charBefore(text, at - 1)) ? '-' : null;
  return isPartOfToken(before) ? null : '';
}
