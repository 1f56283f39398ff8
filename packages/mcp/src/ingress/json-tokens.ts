/** A text being read and what the last token showed. */
export type Text = {
  readonly bytes: Buffer;
  readonly end: number;
  at: number;
  /** The last string held an escape. */
  escaped: boolean;
  /** The last number had an exponent. */
  exponent: boolean;
  /** Why the last string is refused. */
  problem: TextProblem | undefined;
};
type TextProblem = { readonly code: 'ingress.not_json' | 'ingress.bad_text'; readonly reason: string };

/**
 * Moves past the string whose opening quote is at `text.at`. False when it is no JSON string or holds NUL or a lone surrogate; then `at`
 * stands on the fault. In valid UTF-8 a surrogate can only come by escape.
 */
export function endOfString(text: Text): boolean {
  const { bytes, end } = text;
  text.escaped = false;
  let at = text.at + 1;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === 0x22) {
      text.at = at + 1;
      return true;
    }
    if (byte === 0x5c) {
      text.escaped = true;
      const next = endOfEscape(text, at);
      if (next < 0) {
        text.at = at;
        return false;
      }
      at = next;
    } else if (byte < 0x20) {
      text.at = at;
      return refuse(text, 'ingress.not_json', 'a control character stands unescaped in a string');
    } else at++;
  }
  text.at = end;
  return refuse(text, 'ingress.not_json', 'the text ends inside a string');
}

/** Where the escape at `at` ends, or -1 when it is refused. */
function endOfEscape(text: Text, at: number): number {
  const kind = text.bytes[at + 1];
  if (kind === 0x75) return endOfUnicodeEscape(text, at);
  // " \ / b f n r t
  const isKnown =
    kind === 0x22 || kind === 0x5c || kind === 0x2f || kind === 0x62 || kind === 0x66 || kind === 0x6e || kind === 0x72 || kind === 0x74;
  if (isKnown) return at + 2;
  refuse(text, 'ingress.not_json', 'the escape does not exist in JSON');
  return -1;
}

function endOfUnicodeEscape(text: Text, at: number): number {
  const unit = hexUnit(text.bytes, at);
  if (unit < 0) {
    refuse(text, 'ingress.not_json', 'a \\u escape wants four hexadecimal digits');
    return -1;
  }
  if (unit === 0) {
    refuse(text, 'ingress.bad_text', 'NUL is not accepted in a string');
    return -1;
  }
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  const low = unit < 0xdc00 ? hexUnit(text.bytes, at + 6) : -1;
  if (low >= 0xdc00 && low <= 0xdfff) return at + 12;
  refuse(text, 'ingress.bad_text', 'half of a surrogate pair stands alone');
  return -1;
}

/** The code unit that the `\uXXXX` at `at` names, or -1 where there is none. */
function hexUnit(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0x5c || bytes[at + 1] !== 0x75) return -1;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const byte = bytes[i] ?? 0;
    const lower = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57;
    else return -1;
  }
  return unit;
}

function refuse(text: Text, code: TextProblem['code'], reason: string): false {
  text.problem = { code, reason };
  return false;
}

/** Moves past the number at `text.at`. False when JSON does not spell numbers so. */
export function endOfNumber(text: Text): boolean {
  const { bytes } = text;
  text.exponent = false;
  let at = text.at;
  if (bytes[at] === 0x2d) at++;
  const whole = at;
  at = endOfDigits(bytes, at);
  if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) return false;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = endOfDigits(bytes, fraction);
    if (at === fraction) return false;
  }
  if (((bytes[at] ?? 0) | 0x20) === 0x65) {
    text.exponent = true;
    at++;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
    const power = at;
    at = endOfDigits(bytes, power);
    if (at === power) return false;
  }
  text.at = at;
  return true;
}

function endOfDigits(bytes: Buffer, from: number): number {
  let at = from;
  let byte = bytes[at] ?? 0;
  while (byte >= 0x30 && byte <= 0x39) byte = bytes[++at] ?? 0;
  return at;
}

/**
 * Whether JSON readers would disagree about a number: it overflows, or it is beyond ±(2^53−1) and written out in digits. With an exponent it is
 * a floating-point number by intent (1e300) and every reader yields the same double.
 */
export function isUnsafe(spelling: string): boolean {
  const value = Number(spelling);
  if (!Number.isFinite(value)) return true;
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && !/e/i.test(spelling);
}

/** The decoded key whose opening quote is at `start`. Throws on what is no JSON string. */
export function keyAt(bytes: Buffer, start: number): string {
  const text: Text = { bytes, end: bytes.length, at: start, escaped: false, exponent: false, problem: undefined };
  endOfString(text);
  return JSON.parse(bytes.toString('utf8', start, text.at)) as string;
}
