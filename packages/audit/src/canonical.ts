import canonicalizeJcs from 'canonicalize';

/**
 * The RFC 8785 (JCS) text of a JSON value: what is hashed, stored and compared. Key order does not matter; numbers print as ECMAScript does.
 * @throws TypeError on what JSON can't hold (undefined, NaN, Infinity, lone surrogates, cycles): ingress refuses those before.
 */
export function canonicalize(value: unknown): string {
  const text = canonicalizeJcs(value);
  if (text === undefined) throw new TypeError('This value has no JSON form.');
  return text;
}
