import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node';

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
  await toNodeHandler({ fetch }, { onerror })(source, sink(response), message);
}

/** The response as the adapter writes it, its headers sent at once: a stream may be silent for long, and its client waits for them. */
function sink(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead(status, headers) {
      response.writeHead(status, headers);
      if (headers?.['content-type'] === 'text/event-stream') response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}

/** The body is read already, and given as `message`. */
async function* noBody(): AsyncGenerator<never> {}
