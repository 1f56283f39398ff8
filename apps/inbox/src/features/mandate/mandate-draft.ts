import type { Mandate, MandateTerms, Term } from '@countersign/contracts';
import { useCallback, useState } from 'react';
import { termsOf } from '../../data/mandate.ts';

/** A term as it is being written. `key` tells it from others that say the same. */
export type DraftTerm = {
  readonly key: string;
  readonly tool: string;
  readonly when: string;
  readonly match: string;
  /** As a `datetime-local` input has it, in the reader's zone; empty for none. */
  readonly until: string;
  readonly uses: string;
};
export type MandateDraft = Pick<MandateTerms, 'scopes'> & {
  readonly terms: readonly DraftTerm[];
  readonly usd: string;
  readonly per: 'day' | 'week' | 'month';
};

const NAME = 'countersign.draft.mandate';

let made = 0;
const newKey = (): string => {
  made += 1;
  return `${Date.now()}-${made}`;
};

const two = (n: number): string => String(n).padStart(2, '0');
/** The reader's own time to the minute, without a zone. */
const localTime = (iso: string): string => {
  const at = new Date(iso);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
};

export const emptyTerm = (): DraftTerm => ({ key: newKey(), tool: '', when: '', match: '', until: '', uses: '' });

const draftTerm = (term: Term): DraftTerm => ({
  key: newKey(),
  tool: term.tool,
  when: term.when,
  match: term.match ?? '',
  until: term.expires_at === undefined ? '' : localTime(term.expires_at),
  uses: term.uses === undefined ? '' : String(term.uses),
});

export const draftOf = (mandate: MandateTerms): MandateDraft => ({
  scopes: mandate.scopes,
  terms: mandate.terms.map(draftTerm),
  usd: mandate.budget === undefined ? '' : String(mandate.budget.usd),
  per: mandate.budget?.per ?? 'day',
});

/** The moment that was typed; the very one of `was` where it was not touched, so that no second is lost. */
function untilOf(typed: string, was: readonly Term[]): string | undefined {
  if (typed === '') return undefined;
  const untouched = was.find((term) => term.expires_at !== undefined && localTime(term.expires_at) === typed)?.expires_at;
  return untouched ?? new Date(typed).toISOString();
}

/** What a draft says, as it would be sent. `base`: the mandate that it was made from. */
export function termsOfDraft(draft: MandateDraft, base: MandateTerms): MandateTerms {
  return {
    scopes: [...draft.scopes],
    terms: draft.terms.map(({ tool, when, match, until, uses }) => {
      const expires = untilOf(until, base.terms);
      return {
        tool: tool.trim(),
        when: when.trim(),
        ...(match.trim() !== '' && { match: match.trim() }),
        ...(expires !== undefined && { expires_at: expires }),
        ...(uses.trim() !== '' && { uses: Number(uses) }),
      };
    }),
    ...(draft.usd.trim() !== '' && { budget: { usd: Number(draft.usd), per: draft.per } }),
  };
}

export const sameTerms = (a: MandateTerms, b: MandateTerms): boolean => JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));

/** Fields in one order; scopes are a set. */
const ordered = ({ scopes, terms, budget }: MandateTerms) => ({
  scopes: [...scopes].sort(),
  terms: terms.map(({ tool, when, match, expires_at, uses }) => ({ tool, when, match, expires_at, uses })),
  budget: budget && { usd: budget.usd, per: budget.per },
});

const read = (): MandateDraft | null => {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as MandateDraft | null;
  } catch {
    return null;
  }
};

/** The reader's changes, kept in this tab until they are in force or discarded; the mandate itself where there are none. */
export function useMandateDraft(mandate: Mandate) {
  const [changed, setChanged] = useState(read);
  const [shown, setShown] = useState(() => ({ version: mandate.version, draft: draftOf(termsOf(mandate)) }));
  // Nothing of the reader's own is at stake: show what is in force now.
  if (changed === null && shown.version !== mandate.version) setShown({ version: mandate.version, draft: draftOf(termsOf(mandate)) });
  const change = useCallback((draft: MandateDraft) => {
    try {
      sessionStorage.setItem(NAME, JSON.stringify(draft));
    } catch {
      // Too large to be kept: it then lives as long as the page.
    }
    setChanged(draft);
  }, []);
  const discard = useCallback(() => {
    sessionStorage.removeItem(NAME);
    setChanged(null);
    setShown({ version: -1, draft: shown.draft });
  }, [shown.draft]);
  return { draft: changed ?? shown.draft, change, discard };
}
