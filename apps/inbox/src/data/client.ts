import { ClientError, type ClientFailure, type ClientResult, createClient } from '@countersign/client';
import { setConnection } from './connection.ts';
import { createServerClock } from './server-clock.ts';

export const clock = createServerClock();

/** The page's own fetch: notes the server's time, and whether the event stream stands. */
const watchedFetch: typeof fetch = async (input, init) => {
  const isEvents = String(input).endsWith('/events');
  try {
    const response = await fetch(input, init);
    clock.observe(response);
    if (isEvents) setConnection(response.ok ? 'live' : 'offline');
    return response;
  } catch (cause) {
    if (isEvents && !init?.signal?.aborted) setConnection('offline');
    throw cause;
  }
};

export const client = createClient({ url: '', fetch: watchedFetch });

/** For queries and mutations, where a failure is thrown: the value, or a `ClientError` that holds the server's code and words. */
export async function unwrap<Value>(answer: Promise<ClientResult<Value>>): Promise<Value> {
  const result = await answer;
  if (result.ok) return result.value;
  throw new ClientError(result.error);
}

/** What went wrong, whoever threw it. */
export const failureOf = (error: unknown): ClientFailure =>
  error instanceof ClientError
    ? error.failure
    : { code: 'client.bad_answer', message: error instanceof Error ? error.message : String(error) };

export const isLoggedOut = (error: unknown): boolean => {
  const { code } = failureOf(error);
  return code === 'credential.missing' || code === 'credential.invalid';
};
