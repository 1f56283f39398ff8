import { describe, expect, it } from 'vitest';
import { EVIDENCE_REFERENCE, EvidenceSource, readReference } from '../src/evidence.ts';

const GOOD: Record<Exclude<EvidenceSource, 'manual'>, readonly string[]> = {
  commit: [
    '3f2a9c1',
    '3f2a9c1d0e5b7a88c4f1d2e3a4b5c6d7e8f90123',
    'acme/shop@3f2a9c1',
    'git.example.org:acme/shop@3f2a9c1',
    'https://example.org/acme/shop/commit/3f2a9c1',
  ],
  document: ['reports/2026-q3.pdf', 'minutes of the board.docx', 'https://example.org/d/7', 'doi:10.1000/182', '/srv/notes/plan'],
  calendar: [
    '2026-11-30T10:00Z Budget meeting',
    '2026-11-30 Day off',
    '7kukuqrfedlm2f9t0vr42q1b8c@example.org',
    'https://cal.example.org/e/1',
  ],
  url: ['https://example.org', 'http://example.org:8080/a?b=c#d'],
  ticket: ['OPS-12', '#7', 'acme/shop#128', 'https://tracker.example.org/OPS-12'],
};
const BAD: Record<Exclude<EvidenceSource, 'manual'>, readonly string[]> = {
  commit: ['the last one', '3f2a9c', 'HEAD', 'main', 'acme/shop', '3F2A9C1Z', 'https://example.org/acme/shop', '3f2a9c1 and more'],
  document: ['the report', 'report', 'I read it', '/', '.'],
  calendar: ['tomorrow', 'Monday 10:00', '2026-11-30', 'the meeting with Bo'],
  url: [
    'example.org',
    'ftp://example.org',
    'javascript:alert(1)',
    'https://',
    'https://ada:secret@example.org/x',
    'https://example.org/a b',
  ],
  ticket: ['the bug', 'OPS', '12', 'ops-12', 'https://'],
};
const cases = (of: typeof GOOD) =>
  Object.entries(of).flatMap(([source, all]) => all.map((reference) => [source as EvidenceSource, reference] as const));

describe('a reference', () => {
  it.each(cases(GOOD))('to a %s may be %s', (source, reference) => {
    expect(readReference(source, ` ${reference} `)).toEqual({ ok: true, value: reference });
  });

  it.each(cases(BAD))('to a %s is not %s, and the answer says what it looks like', (source, reference) => {
    expect(readReference(source, reference)).toMatchObject({
      ok: false,
      error: { code: 'input.invalid', detail: { issues: [{ path: ['reference'], message: expect.stringMatching(/^a \w.* is /) }] } },
    });
  });

  it.each(EvidenceSource.options)('is needed for %s unless the claim is the agent’s own word', (source) => {
    for (const absent of [undefined, '', '  \t']) {
      const read = readReference(source, absent);
      if (source === 'manual') expect(read).toEqual({ ok: true, value: null });
      else
        expect(read).toMatchObject({
          error: { code: 'evidence.reference_missing', message: expect.stringMatching(/without naming it is self-report/) },
        });
    }
  });

  it.each(EvidenceSource.options)('of %s holds no control character and has an end', (source) => {
    for (const text of ['a\u001b[2Jb', 'a\nb', `https://example.org/${'x'.repeat(2000)}`]) {
      expect(EVIDENCE_REFERENCE[source].safeParse(text).success).toBe(false);
    }
  });

  it('is read in a time that grows with its length', () => {
    const started = performance.now();
    for (const source of EvidenceSource.options)
      for (const text of ['a/'.repeat(1000), '1'.repeat(2000), `${'a.'.repeat(999)}!`]) readReference(source, text);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
