import type { FetchLike } from '@modelcontextprotocol/client';

const LF = 0x0a;

/**
 * `fetch` for the SDK's own requests, with a bound that the SDK lacks: a body, or in an event stream one event, of more than `maxBytes` breaks
 * the response instead of filling memory.
 */
export function cappedFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(cap(maxBytes, isStream)), { status, statusText, headers });
  };
}

function cap(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      // Events are separated by an empty line; one that ends between two chunks is counted with the next, which errs on the safe side.
      const end = isStream ? endOfLastEvent(chunk) : 0;
      size = end > 0 ? chunk.length - end : size + chunk.length;
      if (size > maxBytes) controller.error(new Error(`The server sent more than ${maxBytes} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

function endOfLastEvent(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at--) {
    if (chunk[at] === LF && (chunk[at - 1] === LF || (chunk[at - 2] === LF && at > 1))) return at + 1;
  }
  return 0;
}
