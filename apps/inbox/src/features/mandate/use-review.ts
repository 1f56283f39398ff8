import type { Mandate, MandateTerms } from '@countersign/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { client, failureOf, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { NO_PROBLEMS, type Problems, problemsOf } from './mandate-problems.ts';
import { type Foresight, PREVIEW_DAYS } from './review.tsx';

/** `base`: the mandate that the terms were held against; they are saved in its place and in no other's. */
type Reviewed = { readonly base: Mandate; readonly terms: MandateTerms; readonly foresight: Foresight };

/** From a draft to a mandate in force: the server reads it first, then it is reviewed, then it is saved against the version that was read. */
export function useReview(mandate: Mandate, onSaved: (saved: Mandate) => void) {
  const queryClient = useQueryClient();
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS);
  const [isStale, setStale] = useState(false);
  const look = useMutation({
    mutationFn: async (terms: MandateTerms): Promise<Reviewed | Problems> => {
      const answer = await client.mandate.preview({ ...terms, days: PREVIEW_DAYS });
      if (answer.ok) return { base: mandate, terms, foresight: { ok: true, preview: answer.value } };
      const found = problemsOf(answer.error);
      return found.size > 0 ? found : { base: mandate, terms, foresight: { ok: false, reason: answer.error.message } };
    },
    onSuccess: (seen) => {
      setStale(false);
      setProblems('terms' in seen ? NO_PROBLEMS : seen);
      setReviewed('terms' in seen ? seen : null);
    },
  });
  const save = useMutation({
    mutationFn: ({ base, terms }: Reviewed) => unwrap(client.mandate.set(terms, base.version)),
    onSuccess: (saved) => {
      queryClient.setQueryData(keys.mandate, saved);
      setReviewed(null);
      onSaved(saved);
    },
    onError: (error) => {
      const failure = failureOf(error);
      const found = problemsOf(failure);
      if (found.size === 0 && failure.code !== 'conflict') return;
      setReviewed(null);
      setProblems(found);
      setStale(failure.code === 'conflict');
      if (failure.code === 'conflict') void queryClient.invalidateQueries({ queryKey: keys.mandate });
    },
  });
  const close = (): void => {
    setReviewed(null);
    save.reset();
  };
  const forgive = useCallback(() => setProblems(NO_PROBLEMS), []);
  return { reviewed, problems, isStale, look, save, close, forgive };
}
