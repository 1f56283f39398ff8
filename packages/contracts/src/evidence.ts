import * as z from 'zod';
import { EvidenceId, Timestamp } from './ids.ts';
import { type Failure, fail, ok, type Result } from './result.ts';

/** Where a claim comes from. `manual`: the agent or its principal says so. Every other source is an artifact, which the reference names. */
export const EvidenceSource = z.enum(['manual', 'commit', 'document', 'calendar', 'url', 'ticket']);
export type EvidenceSource = z.infer<typeof EvidenceSource>;

const MAX_REFERENCE = 2000;
const SHA = '[0-9a-f]{7,64}';

/** An absolute http(s) address that names a host and carries no password. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/i.test(text);
}
const isCommitAddress = (text: string): boolean => isWebAddress(text) && new RegExp(`/commits?/${SHA}(?:[/?#]|$)`, 'i').test(text);

const fits = (isOne: (text: string) => boolean, expected: string) =>
  z
    .string()
    .max(MAX_REFERENCE, `a reference has at most ${MAX_REFERENCE} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'a reference holds no control characters')
    .refine(isOne, expected);
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);
const either =
  (...kinds: readonly ((text: string) => boolean)[]) =>
  (text: string) =>
    kinds.some((isOne) => isOne(text));

/** What a reference of each source looks like. Only the form is checked: whether the artifact exists is for the person to look at. */
export const EVIDENCE_REFERENCE = {
  manual: fits(() => true, ''),
  commit: fits(
    either(matches(new RegExp(`^(?:[A-Za-z0-9][\\w./:-]*@)?${SHA}$`)), isCommitAddress),
    'a commit is its hash (7 to 64 hex digits), repository@hash, or the web address of the commit: acme/shop@3f2a9c1',
  ),
  document: fits(
    either(
      isWebAddress,
      matches(/^(?=\S)(?=.*\S$)(?:[^/]*\/)+[^/]+$/u),
      matches(/^\S.*\.[A-Za-z0-9]{1,8}$/u),
      matches(/^[a-z][a-z0-9+.-]*:\S+$/i),
    ),
    'a document is a web address, a path or file name, or scheme:id: reports/2026-q3.pdf, doi:10.1000/182',
  ),
  calendar: fits(
    either(
      isWebAddress,
      matches(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)? \S.*$/),
      matches(/^[\w.+-]{1,200}@[\w.-]{1,200}$/),
      matches(/^(?=\D*\d)[\w+-]{16,200}$/),
    ),
    'a calendar entry is its web address, its UID, or a date and the title: 2026-11-30T10:00Z Budget meeting',
  ),
  url: fits(isWebAddress, 'a url is an absolute http(s) address without a password: https://example.org/post/7'),
  ticket: fits(
    either(isWebAddress, matches(/^[A-Z][A-Z0-9_]{0,19}-\d{1,9}$/), matches(/^(?:[\w.-]+\/[\w.-]+)?#\d{1,9}$/)),
    'a ticket is KEY-123, #123, owner/repository#123, or its web address',
  ),
} as const satisfies Record<EvidenceSource, z.ZodType<string>>;

/** Arguments of `file_evidence` before the reference is looked at: which form it needs depends on the source. */
export const EvidenceInput = z.strictObject({
  claim: z.string().trim().min(1).max(2000).describe('What was done, in one sentence'),
  source: EvidenceSource.describe('Where the claim comes from; manual when there is nothing to point at'),
  reference: z
    .string()
    .optional()
    .describe(
      'The artifact, needed for every source but manual. commit: acme/shop@3f2a9c1; document: reports/q3.pdf; calendar: 2026-11-30T10:00Z Budget meeting; url: https://…; ticket: OPS-12',
    ),
  decision: z.string().max(100).optional().describe('The id of a decision of yours (dec_…) that this is evidence for'),
});
export type EvidenceInput = z.infer<typeof EvidenceInput>;

/** The reference in the form that is kept, null where a manual claim has none; or why it is not one. */
export function readReference(
  source: EvidenceSource,
  reference: string | undefined,
): Result<string | null, 'evidence.reference_missing' | 'input.invalid'> {
  const given = reference?.trim() ?? '';
  if (given === '') return source === 'manual' ? ok(null) : missing(source);
  const parsed = EVIDENCE_REFERENCE[source].safeParse(given);
  if (parsed.success) return ok(parsed.data);
  return fail('input.invalid', `This is no reference to a ${source}.`, {
    issues: parsed.error.issues.map(({ message }) => ({ path: ['reference'], message })),
  });
}

const missing = (source: EvidenceSource): { readonly ok: false; readonly error: Failure<'evidence.reference_missing'> } =>
  fail(
    'evidence.reference_missing',
    `A claim whose source is a ${source} needs a reference to it: a claim that points at an artifact without naming it is self-report. Name the artifact, or file it as manual.`,
  );

/** A claim as it stands on a decision: the agent's words, with what it points to. */
export const Evidence = z.strictObject({
  id: EvidenceId,
  claim: z.string(),
  source: EvidenceSource,
  reference: z.string().nullable(),
  at: Timestamp,
});
export type Evidence = Readonly<z.infer<typeof Evidence>>;
