import { createHash, randomBytes } from 'node:crypto';
import { canonicalize } from '@countersign/audit';
import type { Digest } from '@countersign/contracts';

/** SHA-256 of the UTF-8 text. */
export const sha256 = (text: string): Digest => `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;

/** SHA-256 of the RFC 8785 form: equal for equal JSON values, whatever their key order. */
export const digestOf = (value: unknown): Digest => sha256(canonicalize(value));

/** A secret of 256 random bits with a prefix that says what it is: `csa_` agent, `csp_` principal, `css_` session, `csl_` login link, `csr_` run. */
export const mintSecret = (prefix: 'csa' | 'csp' | 'css' | 'csl' | 'csr'): string => `${prefix}_${randomBytes(32).toString('base64url')}`;
