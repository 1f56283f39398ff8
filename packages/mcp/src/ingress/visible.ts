/**
 * Somebody else's name or key, for a message that people read: everything but printable ASCII stands as `\u{…}`, so nothing in it can hide or
 * pass for something else; what is longer than `max` characters is cut and ends in an ellipsis.
 */
export function visible(text: string, max = 128): string {
  const short = text.length > max ? text.slice(0, max) : text;
  const escaped = short.replace(/[^\x20-\x7e]/gu, (odd) => `\\u{${(odd.codePointAt(0) as number).toString(16)}}`);
  return short === text ? escaped : `${escaped}…`;
}
