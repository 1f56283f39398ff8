import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';

type Fetch = (request: Request, options?: { parsedBody?: unknown }) => Promise<Response>;

/** Lets one of the SDK's web-standard handlers answer. `message` is the scanned body; the SDK never sees the bytes. */
export async function answerBySdk(
  fetch: Fetch,
  request: { readonly method: string; readonly headers: IncomingHttpHeaders; readonly message: unknown },
  response: ServerResponse,
  onerror: (error: Error) => void,
): Promise<void> {
  const { method, headers, message } = request;
  const source = { method, url: '/mcp', headers, [Symbol.asyncIterator]: noBody };
  await toNodeHandler({ fetch }, { onerror })(source, response, message);
}

// biome-ignore lint/correctness/useYield: a body that is already read has nothing to yield.
async function* noBody(): AsyncGenerator<never> {}
