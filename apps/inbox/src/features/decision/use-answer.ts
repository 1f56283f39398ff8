import type { ClientFailure } from '@countersign/client';
import type { AnswerInput, Decision } from '@countersign/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { applyEvents } from '../../data/apply-events.ts';
import { client, failureOf, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

/** The record is not what the page showed any more. */
const STALE: ReadonlySet<string> = new Set([
  'decision.already_answered',
  'decision.expired',
  'decision.withdrawn',
  'decision.stale',
  'decision.digest_mismatch',
  'conflict',
]);

export const isStale = (failure: ClientFailure): boolean => STALE.has(failure.code);

const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Sends one answer. The same answer sent again keeps its key, so that an answer whose reply was lost counts once. */
export function useAnswer(id: string) {
  const queryClient = useQueryClient();
  const last = useRef({ input: '', key: '' });
  return useMutation<Decision, Error, AnswerInput>({
    mutationFn: (input) => {
      const text = JSON.stringify(input);
      if (last.current.input !== text) last.current = { input: text, key: newKey() };
      return unwrap(client.decisions.answer(id, input, { idempotencyKey: last.current.key }));
    },
    onSuccess: (decision) => {
      queryClient.setQueryData(keys.decision(id), decision);
      void queryClient.invalidateQueries({ queryKey: keys.histories });
      void applyEvents(queryClient, [{ type: 'decision', id, state: decision.state, version: decision.version, eventId: null }]);
    },
    onError: (error) => {
      if (isStale(failureOf(error))) void queryClient.invalidateQueries({ queryKey: keys.decision(id) });
    },
  });
}
