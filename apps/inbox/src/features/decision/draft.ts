import { useCallback, useState } from 'react';

/** What a person wrote and has not sent. It survives a reload, a logout and a lost race, in this tab. */
export type Draft = { readonly note: string; readonly edited: string | null };
const EMPTY: Draft = { note: '', edited: null };

const nameOf = (id: string): string => `countersign.draft.${id}`;

const read = (id: string): Draft => {
  try {
    return { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(nameOf(id)) ?? '{}') as Partial<Draft>) };
  } catch {
    return EMPTY;
  }
};

const write = (id: string, draft: Draft): void => {
  if (draft.note === '' && draft.edited === null) {
    sessionStorage.removeItem(nameOf(id));
    return;
  }
  try {
    sessionStorage.setItem(nameOf(id), JSON.stringify(draft));
  } catch {
    // A megabyte of edited arguments may not fit; the draft then lives as long as the page.
  }
};

/** The draft of one decision. The component must be keyed by the decision. */
export function useDraft(id: string) {
  const [draft, setDraft] = useState(() => read(id));
  const change = useCallback(
    (part: Partial<Draft>) =>
      setDraft((current) => {
        const next = { ...current, ...part };
        write(id, next);
        return next;
      }),
    [id],
  );
  return { draft, change };
}
